import Verification

/// Reads `dpop`.
enum ProofRulesReader {
    /// A proof is made for one request: clocks that are further apart are better set.
    private static let usualAge = Duration.seconds(300)

    /// - Parameters:
    ///   - entry: The key `dpop` with its value.
    ///   - from: Where the tenant's tokens are looked for.
    static func read(
        _ entry: DocumentNode.Entry,
        from: [TokenSource],
        _ session: inout ReadingSession
    ) -> ProofRules {
        let node = entry.value
        if !from.contains(.bearer) {
            session.findings.error(
                entry.keyPlace,
                "\"dpop\" needs tokens in Authorization, where none is looked for: add bearer to \"from\""
            )
        }
        let maxAge = node.read(Schema.dpop.maxAge)
        if maxAge > usualAge, let place = node[Schema.dpop.maxAge]?.place {
            session.findings.warning(
                place,
                "each proof is remembered for so long: set the clocks and keep max_age under 5m"
            )
        }
        return ProofRules(
            need: node.read(Schema.dpop.need),
            nonce: node.read(Schema.dpop.nonce),
            maxAge: maxAge,
            algorithms: node.read(Schema.dpop.algorithms),
            mode: session.mode(Schema.dpop.mode, of: node, "lets through what \"dpop\" refuses"),
            line: entry.keyPlace.line
        )
    }
}
