import ConfigurationText
import Verification

/// Reads `dpop`.
enum ProofRulesReader {
    /// A longer age is warned of: a proof is for one request, so the clocks should be set instead.
    private static let recommendedAge = Duration.seconds(300)

    /// - Parameters:
    ///   - entry: `dpop`.
    ///   - from: The tenant's token sources.
    static func read(_ entry: DocumentNode.Entry, from: [TokenSource], _ session: ReadingSession) -> ProofRules {
        let node = entry.value
        if !from.contains(.bearer) {
            session.at(entry)
                .error("\"dpop\" needs tokens in Authorization, where none is looked for: add bearer to \"from\"")
        }
        let maxAge = node.read(Schema.dpop.maxAge)
        if maxAge > recommendedAge, let value = node[Schema.dpop.maxAge] {
            session.at(value).warning("each proof is remembered for so long: set the clocks and keep max_age under 5m")
        }
        return ProofRules(
            need: node.read(Schema.dpop.need),
            nonce: node.read(Schema.dpop.nonce),
            maxAge: maxAge,
            algorithms: node.read(Schema.dpop.algorithms),
            mode: session.mode(Schema.dpop.mode, of: node, "lets through what \"dpop\" refuses"),
            line: entry.keyPosition.sourceLine
        )
    }
}
