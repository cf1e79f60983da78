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
        var rules = ProofRules(line: entry.keyPlace.line)
        rules.need = node.text("need").flatMap(ProofRules.Need.init(rawValue:)) ?? rules.need
        rules.nonce = node.boolean("nonce") ?? rules.nonce
        rules.maxAge = node.duration("max_age") ?? rules.maxAge
        rules.mode = node.text("mode").flatMap(Tenant.Mode.init(rawValue:)) ?? rules.mode
        if let names = node.texts("algorithms") {
            rules.algorithms = names.compactMap(SignatureAlgorithm.init(rawValue:))
        }
        if !from.contains(.bearer) {
            session.findings.error(
                entry.keyPlace,
                "\"dpop\" needs tokens in Authorization, where none is looked for: add bearer to \"from\""
            )
        }
        if rules.maxAge > usualAge, let place = node["max_age"]?.place {
            session.findings.warning(
                place,
                "each proof is remembered for so long: set the clocks and keep max_age under 5m"
            )
        }
        if rules.mode == .observe, let place = node["mode"]?.place {
            session.findings.warning(
                place,
                "mode observe lets through what \"dpop\" refuses: use it for a migration only"
            )
        }
        return rules
    }
}
