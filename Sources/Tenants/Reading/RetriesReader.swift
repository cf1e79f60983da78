import ConfigurationText

/// Reads `backend.retries`.
enum RetriesReader {
    /// RFC 9110 section 9.2.2.
    private static let idempotent = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]

    static func read(_ node: DocumentNode, _ session: ReadingSession) -> RetryRules {
        let failures = node.read(Schema.retries.on)
        return RetryRules(
            attempts: node.read(Schema.retries.attempts),
            afterConnectFailure: failures.contains(.connectFailure),
            afterReset: failures.contains(.resetBeforeResponse),
            methods: node.given(Schema.retries.methods).map { readMethods($0, session) } ?? []
        )
    }

    private static func readMethods(_ node: DocumentNode, _ session: ReadingSession) -> [String] {
        var methods: [String] = []
        for item in node.items {
            guard let scalar = item.filled else { continue }
            if !NetworkText.isToken(scalar.text) {
                session.at(item).error("\(scalar.shown) is not a method: write it like GET or PUT")
            } else if idempotent.contains(scalar.text) {
                methods.append(scalar.text)
            } else if idempotent.contains(scalar.text.uppercased()) {
                session.at(item)
                    .error("\(scalar.shown) matches no known method, methods are case-sensitive: write it in capitals")
            } else {
                session.at(item).error(
                    "\(scalar.shown) is not idempotent, sent twice it may be done twice (RFC 9110 section 9.2.2): "
                        + "leave it out; the methods that may be repeated are \(idempotent.joined(separator: ", "))"
                )
            }
        }
        return methods
    }
}
