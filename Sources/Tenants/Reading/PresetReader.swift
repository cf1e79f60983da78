import Verification

/// Reads an issuer that is known by name: `preset`.
struct PresetReader {
    private struct Provider {
        /// Every `iss` that its tokens may carry, the usual one first.
        var issuers: [String]
        var keySet: String
        var lifetime: Duration?
    }

    private static let providers = [
        "apple": Provider(
            issuers: ["https://appleid.apple.com"],
            keySet: "https://appleid.apple.com/auth/keys",
            lifetime: .seconds(86_400)
        ),
        // Google's guide to ID tokens names both forms of `iss`.
        "google": Provider(
            issuers: ["https://accounts.google.com", "accounts.google.com"],
            keySet: "https://www.googleapis.com/oauth2/v3/certs"
        ),
    ]

    /// The entry of `issuers`.
    let node: DocumentNode
    let tenant: DocumentNode

    /// - Returns: Empty where it cannot be read, which was reported.
    func read(_ value: DocumentNode, _ session: inout ReadingSession) -> [TrustedIssuer] {
        guard let preset = value.scalar?.text else { return [] }
        let known = ["issuer", "algorithms"] + (preset == "built-in" ? ["audiences"] : [])
        for key in known {
            guard let entry = node.entry(key) else { continue }
            session.findings.error(entry.keyPlace, "\"\(key)\" is known from the preset: leave it out")
        }
        if preset == "built-in" {
            let own = BuiltInIssuerReader.readTrusted(tenant.entry("issuer"), preset: value.place, &session)
            return own.map { [$0] } ?? []
        }
        guard let provider = Self.providers[preset] else { return [] }
        if node["audiences"] == nil { IssuerReader.warnOfAudience(node, &session) }
        return issuers(provider, tenant["sign_in"]?[preset], &session)
    }

    /// - Parameter given: The tenant's section for sign-in with the provider, which may name other addresses: those of
    ///   a test, or of another cloud.
    private func issuers(
        _ provider: Provider,
        _ given: DocumentNode?,
        _ session: inout ReadingSession
    ) -> [TrustedIssuer] {
        var keySet = provider.keySet
        if let address = given?["jwks_url"] {
            guard let url = ProviderURL.read(address, name: "\"jwks_url\"", &session) else { return [] }
            keySet = url
        }
        var names = provider.issuers
        if let name = given?.text("issuer"), name != provider.issuers.first { names = [name] }
        let source = RemoteKeySource(location: .keySet(url: keySet), lifetime: provider.lifetime)
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
