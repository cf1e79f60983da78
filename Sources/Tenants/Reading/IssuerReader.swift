import Verification

/// An issuer that the tenant trusts, and where its keys come from.
struct TrustedIssuer {
    var policy: IssuerPolicy
    var source: KeySource
    /// Of its entry in tenants.yaml.
    var line = 0
}

/// The tenant that issuers are read for.
struct IssuerOwner {
    var name: String
    var node: DocumentNode
    /// What its `issuer` says; nil where there is none or it cannot be read.
    var issuer: BuiltInIssuer?
}

/// Reads one entry of `authenticate.issuers`.
struct IssuerReader {
    let node: DocumentNode
    let owner: IssuerOwner

    /// - Returns: Several for a provider that goes by several names; empty where it cannot be read, which was reported.
    func read(_ session: inout ReadingSession) -> [TrustedIssuer] {
        guard let source = keySource(&session), let kind = KeySourceName(rawValue: source.key) else { return [] }
        if kind == .preset { return PresetReader(node: node, owner: owner).read(source.value, &session) }
        let algorithms = readAlgorithms(kind, &session)
        let issuer = node[Schema.trustedIssuer.issuer]
        if issuer == nil {
            session.findings.error(
                node.place,
                "this issuer lacks \"issuer\": add the \"iss\" of its tokens, to the letter"
            )
        }
        if node[Schema.trustedIssuer.audiences] == nil { Self.warnOfAudience(node, &session) }
        guard let algorithms, let issuer, let name = issuer.scalar?.text, !name.isEmpty else { return [] }
        guard let keys = KeySourceReader.read(kind, source, algorithms, issuer: issuer, &session) else { return [] }
        let policy = IssuerPolicy(
            issuer: name,
            audiences: node.read(Schema.trustedIssuer.audiences) ?? [],
            algorithms: algorithms,
            keys: keys.keys
        )
        return [TrustedIssuer(policy: policy, source: keys.source)]
    }

    /// The one key that says where the issuer's keys are.
    private func keySource(_ session: inout ReadingSession) -> DocumentNode.Entry? {
        let given = node.entries.filter { entry in
            KeySourceName(rawValue: entry.key) != nil
                && (entry.key != Schema.trustedIssuer.discovery.name
                    || node.read(Schema.trustedIssuer.discovery) != false)
        }
        let choices = KeySourceName.allCases.map(\.rawValue).joined(separator: ", ")
        guard let first = given.first else {
            return session.refuse(node.place, "this issuer has no keys: give one of \(choices)")
        }
        guard given.count == 1 else {
            let second = given[1]
            return session.refuse(
                second.keyPlace,
                "this issuer has keys from \"\(first.key)\" and from \"\(second.key)\": keep exactly one of \(choices)"
            )
        }
        return first
    }

    private func readAlgorithms(
        _ source: KeySourceName,
        _ session: inout ReadingSession
    ) -> [SignatureAlgorithm]? {
        guard let list = node[Schema.trustedIssuer.algorithms] else {
            return session.refuse(
                node.place,
                "this issuer lacks \"algorithms\": name what its tokens are signed with, for example [RS256]"
            )
        }
        let algorithms = node.read(Schema.trustedIssuer.algorithms) ?? []
        guard !algorithms.isEmpty, algorithms.count == list.items.count else { return nil }
        return fits(algorithms, source, list.place, &session) ? algorithms : nil
    }

    /// A secret that verified an asymmetric algorithm, or a public key taken for a secret, would let anyone sign.
    private func fits(
        _ algorithms: [SignatureAlgorithm],
        _ source: KeySourceName,
        _ place: Place,
        _ session: inout ReadingSession
    ) -> Bool {
        let symmetric = algorithms.filter(\.isSymmetric)
        guard symmetric.isEmpty || symmetric.count == algorithms.count else {
            session.findings.error(
                place,
                "HS algorithms need a secret, the others a public key: keep one kind"
            )
            return false
        }
        let isSymmetric = !symmetric.isEmpty
        switch source {
        case .secret, .secretFile:
            guard !isSymmetric else { return true }
            session.findings.error(
                place,
                "\(names(algorithms)) cannot be verified with a secret: use HS256, HS384 or HS512, or give a public key"
            )
            return false
        case .publicKeyFile, .keySetURL, .discovery:
            guard isSymmetric else { return true }
            session.findings.error(
                place,
                "\(names(algorithms)) needs a secret, but \"\(source.rawValue)\" gives public keys: use RS256, ES256 or "
                    + "the like, or give \"secret\""
            )
            return false
        case .keySetFile, .preset: return true
        }
    }

    private func names(_ algorithms: [SignatureAlgorithm]) -> String {
        algorithms.map(\.rawValue).joined(separator: ", ")
    }

    static func warnOfAudience(_ node: DocumentNode, _ session: inout ReadingSession) {
        session.findings.warning(
            node.place,
            "aud is not checked: a token that this issuer made for another app is good here; list \"audiences\""
        )
    }
}
