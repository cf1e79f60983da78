import ConfigurationText
import Verification

/// An issuer that the tenant trusts, and where its keys come from.
struct TrustedIssuer {
    var policy: IssuerPolicy
    var source: KeySource
    /// The line of its entry in tenants.yaml.
    var line: SourceLine = 0
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
        if case .provider(let name)? = node.read(Schema.trustedIssuer.preset), let preset = ProviderPreset.named(name) {
            let others = keySources.filter { $0.key != Schema.trustedIssuer.preset.name }
            if let second = others.dropFirst().first { return refuseSecond(second, beside: others[0], session) ?? [] }
            return ProviderPresetReader(node: node, preset: preset, keySource: others.first, session).read(session)
        }
        _ = PresetArguments(node, of: nil, session)
        guard let source = keySource(session), let kind = KeySourceName(rawValue: source.key) else { return [] }
        if kind == .preset { return PresetReader(node: node, owner: owner).read(source.value, session) }
        let algorithms = AlgorithmsReader(node: node).read(kind, session)
        let issuer = node[Schema.trustedIssuer.issuer]
        if issuer == nil {
            session.at(node).error("this issuer lacks \"issuer\": add the \"iss\" of its tokens, to the letter")
        }
        if node[Schema.trustedIssuer.audiences] == nil { Self.warnOfAudience(node, session) }
        let mapping = ClaimMappingReader(node: node).mapping(session)
        let conditions = ClaimMappingReader(node: node).conditions(session)
        guard let algorithms, let issuer, let name = issuer.scalar?.text, !name.isEmpty else { return [] }
        let allowsHTTP = node.read(Schema.trustedIssuer.allowHTTP)
        guard
            let keys = KeySourceReader.read(
                kind,
                source,
                algorithms,
                issuer: issuer,
                allowsPlainHTTP: allowsHTTP,
                session
            )
        else { return [] }
        Self.judgePlainHTTP(node, keys.source, session)
        let policy = IssuerPolicy(
            issuer: name,
            audiences: node.read(Schema.trustedIssuer.audiences) ?? [],
            algorithms: algorithms,
            keys: keys.keys,
            mapping: mapping,
            conditions: conditions
        )
        return [TrustedIssuer(policy: policy, source: keys.source)]
    }

    /// Warns of `allow_http`, where it is set: of the danger, or that it has no effect.
    static func judgePlainHTTP(_ node: DocumentNode, _ source: KeySource, _ session: ReadingSession) {
        guard node.read(Schema.trustedIssuer.allowHTTP), let entry = node.entry(Schema.trustedIssuer.allowHTTP) else {
            return
        }
        if case .remote(let remote) = source, remote.allowsPlainHTTP {
            session.at(entry).warning(
                "the keys come over plain http: who can change them on the way can sign any token; keep the issuer in a "
                    + "network of your own, or give it https"
            )
        } else {
            session.at(entry).warning("nothing is fetched over plain http here: leave \"allow_http\" out")
        }
    }

    /// The keys that say where the issuer's keys are.
    private var keySources: [DocumentNode.Entry] {
        node.entries.filter { entry in
            KeySourceName(rawValue: entry.key) != nil
                && (entry.key != Schema.trustedIssuer.discovery.name
                    || node.read(Schema.trustedIssuer.discovery) != false)
        }
    }

    /// The one key that says where the issuer's keys are.
    private func keySource(_ session: ReadingSession) -> DocumentNode.Entry? {
        let given = keySources
        guard let first = given.first else {
            return session.at(node).refuse("this issuer has no keys: give one of \(Self.choices)")
        }
        guard given.count == 1 else { return refuseSecond(given[1], beside: first, session) }
        return first
    }

    private static let choices = KeySourceName.allCases.map(\.rawValue).joined(separator: ", ")

    private func refuseSecond<Value>(
        _ second: DocumentNode.Entry,
        beside first: DocumentNode.Entry,
        _ session: ReadingSession
    ) -> Value? {
        session.at(second).refuse(
            "this issuer has keys from \"\(first.key)\" and from \"\(second.key)\": keep exactly one of \(Self.choices)"
        )
    }

    static func warnOfAudience(_ node: DocumentNode, _ session: ReadingSession) {
        session.at(node).warning(
            "aud is not checked: a token that this issuer made for another app is good here; list \"audiences\""
        )
    }
}
