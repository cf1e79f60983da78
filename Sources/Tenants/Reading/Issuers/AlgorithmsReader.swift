import ConfigurationText
import Verification

/// Reads `algorithms` of an issuer, which must suit the source of its keys.
struct AlgorithmsReader {
    /// The entry of `issuers`.
    let node: DocumentNode

    func read(_ source: KeySourceName, _ session: ReadingSession) -> [SignatureAlgorithm]? {
        guard let list = node[Schema.trustedIssuer.algorithms] else {
            return session.at(node)
                .refuse("this issuer lacks \"algorithms\": name what its tokens are signed with, for example [RS256]")
        }
        let algorithms = node.read(Schema.trustedIssuer.algorithms) ?? []
        guard !algorithms.isEmpty, algorithms.count == list.items.count else { return nil }
        if let mismatch = mismatch(algorithms, source) { return session.at(list).refuse(mismatch) }
        return algorithms
    }

    /// Why the key source does not suit the algorithms; nil if it does. A public key used as an HMAC secret would let
    /// anyone sign.
    func mismatch(_ algorithms: [SignatureAlgorithm], _ source: KeySourceName) -> String? {
        let symmetric = algorithms.filter(\.isSymmetric)
        guard symmetric.isEmpty || symmetric.count == algorithms.count else {
            return "HS algorithms need a secret, the others a public key: keep one kind"
        }
        let names = algorithms.map(\.rawValue).joined(separator: ", ")
        switch source {
        case .secret, .secretFile:
            guard symmetric.isEmpty else { return nil }
            return "\(names) cannot be verified with a secret: use HS256, HS384 or HS512, or give a public key"
        case .publicKeyFile, .keySetURL, .discovery:
            guard !symmetric.isEmpty else { return nil }
            return "\(names) needs a secret, but \"\(source.rawValue)\" gives public keys: use RS256, ES256 or "
                + "the like, or give \"secret\""
        case .keySetFile, .preset: return nil
        }
    }
}
