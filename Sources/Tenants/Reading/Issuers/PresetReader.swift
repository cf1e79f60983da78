import ConfigurationText
import Verification

/// Reads `preset` for Apple, Google and the tenant's own issuer; ``ProviderPresetReader`` reads the others.
struct PresetReader {
    /// The entry of `issuers`.
    let node: DocumentNode
    let owner: IssuerOwner

    /// - Returns: Empty if it cannot be read, which was reported.
    func read(_ value: DocumentNode, _ session: ReadingSession) -> [TrustedIssuer] {
        guard value.scalar != nil else { return [] }
        let keys = Schema.trustedIssuer
        let preset = node.read(keys.preset)
        let known = [node.entry(keys.issuer), node.entry(keys.algorithms)]
        let knownOfOwn = [node.entry(keys.audiences), node.entry(keys.claims), node.entry(keys.requireValues)]
        for case let entry? in known + (preset == .builtIn ? knownOfOwn : []) {
            session.at(entry).error("\"\(entry.key)\" is known from the preset: leave it out")
        }
        if let preset, preset != .builtIn, node[keys.audiences] == nil { IssuerReader.warnOfAudience(node, session) }
        let signIn = owner.node[Schema.tenant.signIn]
        switch preset {
        case .builtIn: return OwnIssuerTrust(owner: owner, preset: value).read(session).map { [$0] } ?? []
        case .apple:
            let given = signIn?[Schema.signIn.apple]
            let issuer = given.read(Schema.apple.issuer)
            return issuers([issuer], AppleSignIn.defaultKeys, Schema.apple.jwksURL, given, session)
        case .google:
            let given = signIn?[Schema.signIn.google]
            let issuers = GoogleSignInReader.issuers(given)
            return self.issuers(issuers, GoogleSignIn.defaultKeys, Schema.google.jwksURL, given, session)
        case .provider, nil: return []
        }
    }

    /// - Parameters:
    ///   - defaultKeys: The provider's own keys.
    ///   - given: The tenant's section for sign-in with the provider, which may have another `jwks_url`.
    private func issuers(
        _ names: [String],
        _ defaultKeys: RemoteKeySource,
        _ address: Key<String>,
        _ given: DocumentNode?,
        _ session: ReadingSession
    ) -> [TrustedIssuer] {
        var source = defaultKeys
        if let value = given?[address] {
            guard let url = ProviderURLReader.read(value, name: "\"\(address.name)\"", session) else { return [] }
            source.location = .keySet(url: url)
        }
        let mapping = ClaimMappingReader(node: node).mapping(session)
        let conditions = ClaimMappingReader(node: node).conditions(session)
        return names.map { name in
            TrustedIssuer(
                policy: IssuerPolicy(
                    issuer: name,
                    audiences: node.read(Schema.trustedIssuer.audiences) ?? [],
                    algorithms: [.rs256],
                    keys: nil,
                    mapping: mapping,
                    conditions: conditions
                ),
                source: .remote(source)
            )
        }
    }
}
