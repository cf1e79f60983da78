import ConfigurationText

/// What a tenant has in common with others, with where it is written, for ``SharedSettingsCheck``.
struct SharedSettings: Sendable {
    struct Host: Sendable {
        var pattern: HostPattern
        var position: Position
        /// As messages show it.
        var shown: String
    }

    struct Realm: Sendable {
        var name: [UInt8]
        var position: Position
        var linksByEmail: Bool
        /// Of `link_by_email`, or of the realm if it has its default.
        var linkPosition: Position
    }

    /// A provider of the tenant's sign-in.
    struct Provider: Sendable {
        var provider: SignIn.Provider
        var issuers: [String]
        var position: Position
    }

    struct Issuer: Sendable {
        var url: String
        /// As ``BuiltInIssuer/host``.
        var host: HostPattern?
        var audience: String
        var position: Position
        /// As ``BuiltInIssuer/keyOrigins``.
        var keyOrigins: [String]
        var keysPosition: Position
    }

    var hosts: [Host]
    var pathPrefix: String?
    /// nil if `tls` cannot be read, which was reported: it is equal to nothing.
    var certificate: ServerCertificate??
    var realm: Realm?
    var providers: [Provider]
    var issuer: Issuer?

    init(_ tenant: Tenant, _ node: DocumentNode, hosts: [Host]) {
        self.hosts = hosts
        pathPrefix = tenant.pathPrefix
        certificate = tenant.tls != nil || node[Schema.tenant.tls] == nil ? .some(tenant.tls) : nil
        realm = node[Schema.tenant.realm].flatMap { value in
            tenant.accounts.realm.map { name in
                Realm(
                    name: Array(name.utf8),
                    position: value.position,
                    linksByEmail: tenant.accounts.linkByEmail,
                    linkPosition: (node[Schema.tenant.accounts]?[Schema.accounts.linkByEmail] ?? value).position
                )
            }
        }
        providers = Self.providers(tenant, node)
        issuer = node[Schema.tenant.issuer].flatMap { section in
            tenant.issuer.map { issuer in
                Issuer(
                    url: issuer.url,
                    host: issuer.host,
                    audience: issuer.audience,
                    position: (section[Schema.issuer.url] ?? section).position,
                    keyOrigins: issuer.keyOrigins,
                    keysPosition: (section[Schema.issuer.keysDir] ?? section[Schema.issuer.key]
                        ?? section[Schema.issuer.keyFile] ?? section[Schema.issuer.keyFiles] ?? section).position
                )
            }
        }
    }

    private static func providers(_ tenant: Tenant, _ node: DocumentNode) -> [Provider] {
        guard let signIn = tenant.signIn else { return [] }
        return signIn.providers.compactMap { provider in
            guard let section = section(of: provider, signIn, in: node[Schema.tenant.signIn]) else { return nil }
            return Provider(
                provider: provider,
                issuers: signIn.identitySources(of: provider),
                position: section.value[Schema.apple.issuer]?.position ?? section.keyPosition
            )
        }
    }

    /// The section of `sign_in` that configures a provider: its own, or `web` if that names it.
    private static func section(
        of provider: SignIn.Provider,
        _ signIn: SignIn,
        in node: DocumentNode?
    ) -> DocumentNode.Entry? {
        switch provider {
        case .apple: node?.entry(signIn.apple == nil ? Schema.signIn.web : Schema.signIn.apple)
        case .google: node?.entry(signIn.google == nil ? Schema.signIn.web : Schema.signIn.google)
        case .named(let name): node?[Schema.signIn.providers]?.entry(named: name)
        }
    }
}
