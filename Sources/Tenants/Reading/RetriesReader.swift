/// Reads `backend.retries`.
enum RetriesReader {
    /// The idempotent methods of RFC 9110 section 9.2.2: done twice, they are done once.
    private static let idempotent = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]

    static func read(_ node: DocumentNode, _ session: inout ReadingSession) -> RetryRules {
        let failures = node.read(Schema.retries.on)
        return RetryRules(
            attempts: node.read(Schema.retries.attempts),
            afterConnectFailure: failures.contains(.connectFailure),
            afterReset: failures.contains(.resetBeforeResponse),
            methods: node.given(Schema.retries.methods).map { readMethods($0, &session) } ?? []
        )
    }

    private static func readMethods(_ node: DocumentNode, _ session: inout ReadingSession) -> [String] {
        var methods: [String] = []
        for item in node.items {
            guard let scalar = item.filled else { continue }
            if !NetworkText.isToken(scalar.text) {
                session.findings.error(item.place, "\(scalar.shown) is no method: write it like GET or PUT")
            } else if idempotent.contains(scalar.text) {
                methods.append(scalar.text)
            } else if idempotent.contains(scalar.text.uppercased()) {
                session.findings.error(
                    item.place,
                    "\(scalar.shown) matches no usual request, methods are case-sensitive: write it in capitals"
                )
            } else {
                session.findings.error(
                    item.place,
                    "\(scalar.shown) is not idempotent, sent twice it may be done twice (RFC 9110 section 9.2.2): leave "
                        + "it out; the methods that may be repeated are \(idempotent.joined(separator: ", "))"
                )
            }
        }
        return methods
    }
}
