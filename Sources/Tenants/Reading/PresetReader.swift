import Verification

/// Reads an issuer that is known by name: `preset`.
struct PresetReader {
    /// The entry of `issuers`.
    let node: DocumentNode
    let owner: IssuerOwner

    /// - Returns: Empty where it cannot be read, which was reported.
    func read(_ value: DocumentNode, _ session: inout ReadingSession) -> [TrustedIssuer] {
        guard let preset = value.scalar?.text else { return [] }
        let known = ["issuer", "algorithms"] + (preset == "built-in" ? ["audiences"] : [])
        for key in known {
            guard let entry = node.entry(key) else { continue }
            session.findings.error(entry.keyPlace, "\"\(key)\" is known from the preset: leave it out")
        }
        if preset == "built-in" {
            return OwnIssuerTrust(owner: owner, preset: value.place).read(&session).map { [$0] } ?? []
        }
        guard let provider = SignIn.Provider(rawValue: preset) else { return [] }
        if node["audiences"] == nil { IssuerReader.warnOfAudience(node, &session) }
        return issuers(provider, owner.node["sign_in"]?[preset], &session)
    }

    /// - Parameter given: The tenant's section for sign-in with the provider, which may name other addresses: those of
    ///   a test, or of another cloud.
    private func issuers(
        _ provider: SignIn.Provider,
        _ given: DocumentNode?,
        _ session: inout ReadingSession
    ) -> [TrustedIssuer] {
        var source: RemoteKeySource
        let names: [String]
        switch provider {
        case .apple: (source, names) = (AppleSignIn.standardKeys, [given?.text("issuer") ?? AppleSignIn.standardIssuer])
        case .google: (source, names) = (GoogleSignIn.standardKeys, GoogleSignInReader.issuers(given))
        }
        if let given, given["jwks_url"] != nil {
            guard let url = ProviderURLReader.read(in: given, "jwks_url", allowsQuery: true, &session) else {
                return []
            }
            source.location = .keySet(url: url)
        }
        return names.map { name in
            TrustedIssuer(
                policy: IssuerPolicy(
                    issuer: name,
                    audiences: node.texts("audiences") ?? [],
                    algorithms: [.rs256],
                    keys: nil
                ),
                source: .remote(source)
            )
        }
    }
}
