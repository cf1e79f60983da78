import Verification

/// An issuer that the tenant trusts, and where its keys come from.
struct TrustedIssuer {
    var policy: IssuerPolicy
    var source: KeySource
    /// The line of its entry in tenants.yaml.
    var line = 0
}

/// The tenant that issuers are read for.
struct IssuerOwner {
    var name: String
    var node: DocumentNode
    /// The tenant's own issuer; nil if there is none, or if it cannot be read.
    var issuer: BuiltInIssuer?
}

/// Reads one entry of `authenticate.issuers`.
struct IssuerReader {
    let node: DocumentNode
    let owner: IssuerOwner

    /// - Returns: Several for a provider with several names; empty if it cannot be read, which was reported.
    func read(_ session: ReadingSession) -> [TrustedIssuer] {
        guard let source = keySource(session), let kind = KeySourceName(rawValue: source.key) else { return [] }
        if kind == .preset { return PresetReader(node: node, owner: owner).read(source.value, session) }
        let algorithms = readAlgorithms(kind, session)
        let issuer = node[Schema.trustedIssuer.issuer]
        if issuer == nil {
            session.at(node).error("this issuer lacks \"issuer\": add the \"iss\" of its tokens, to the letter")
        }
        if node[Schema.trustedIssuer.audiences] == nil { Self.warnOfAudience(node, session) }
        guard let algorithms, let issuer, let name = issuer.scalar?.text, !name.isEmpty else { return [] }
        guard let keys = KeySourceReader.read(kind, source, algorithms, issuer: issuer, session) else { return [] }
        let policy = IssuerPolicy(
            issuer: name,
            audiences: node.read(Schema.trustedIssuer.audiences) ?? [],
            algorithms: algorithms,
            keys: keys.keys
        )
        return [TrustedIssuer(policy: policy, source: keys.source)]
    }

    /// The one key that says where the issuer's keys are.
    private func keySource(_ session: ReadingSession) -> DocumentNode.Entry? {
        let given = node.entries.filter { entry in
            KeySourceName(rawValue: entry.key) != nil
                && (entry.key != Schema.trustedIssuer.discovery.name
                    || node.read(Schema.trustedIssuer.discovery) != false)
        }
        let choices = KeySourceName.allCases.map(\.rawValue).joined(separator: ", ")
        guard let first = given.first else {
            return session.at(node).refuse("this issuer has no keys: give one of \(choices)")
        }
        guard given.count == 1 else {
            let second = given[1]
            return session.at(second).refuse(
                "this issuer has keys from \"\(first.key)\" and from \"\(second.key)\": keep exactly one of \(choices)"
            )
        }
        return first
    }

    private func readAlgorithms(_ source: KeySourceName, _ session: ReadingSession) -> [SignatureAlgorithm]? {
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
    private func mismatch(_ algorithms: [SignatureAlgorithm], _ source: KeySourceName) -> String? {
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

    static func warnOfAudience(_ node: DocumentNode, _ session: ReadingSession) {
        session.at(node).warning(
            "aud is not checked: a token that this issuer made for another app is good here; list \"audiences\""
        )
    }
}
