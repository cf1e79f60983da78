/// Checks what tenants share against each other: a host, a realm, an issuer's URL or keys. A later tenant is compared
/// with the first.
struct SharedSettingsCheck {
    private struct First<Value> {
        var tenant: String
        var position: Position
        var value: Value
    }

    private struct RealmProvider: Hashable {
        var realm: [UInt8]
        var provider: SignIn.Provider
    }

    private var certificates: [HostPattern: First<ServerCertificate?>] = [:]
    /// By realm, the value of `link_by_email`.
    private var realms: [[UInt8]: First<Bool>] = [:]
    /// The provider's issuers.
    private var providers: [RealmProvider: First<[String]>] = [:]
    private var issuers: [IssuerAudience: First<Void>] = [:]
    /// By directory, the first issuer's URL, and that of the first with another URL.
    private var keys: [[UInt8]: [First<String>]] = [:]

    private struct IssuerAudience: Hashable {
        var url: [UInt8]
        var audience: [UInt8]

        init(_ issuer: BuiltInIssuer) {
            url = Array(issuer.url.utf8)
            audience = Array(issuer.audience.utf8)
        }
    }

    /// Checks a tenant against those that were added.
    ///
    /// - Parameter hosts: The tenant's, with what each is written as.
    func check(
        _ tenant: Tenant,
        _ node: DocumentNode,
        hosts: [(HostPattern, DocumentNode)],
        _ session: ReadingSession
    ) {
        if Self.hasReadCertificate(tenant, node) { checkCertificates(tenant, hosts, session) }
        if let realm = tenant.accounts.realm, let value = node[Schema.tenant.realm] {
            checkProviders(tenant, realm: Array(realm.utf8), node, session)
            checkLinking(tenant, realm: Array(realm.utf8), value, node, session)
        }
        checkIssuer(tenant, node, session)
    }

    /// Adds a tenant for later ones to be compared with.
    mutating func add(_ tenant: Tenant, _ node: DocumentNode, hosts: [(HostPattern, DocumentNode)]) {
        if Self.hasReadCertificate(tenant, node) {
            for (host, item) in hosts where certificates[host] == nil {
                certificates[host] = First(tenant: tenant.name, position: item.position, value: tenant.tls)
            }
        }
        if let realm = tenant.accounts.realm.map({ Array($0.utf8) }), let value = node[Schema.tenant.realm] {
            for (provider, issuers, position) in Self.providers(tenant, node) {
                let key = RealmProvider(realm: realm, provider: provider)
                guard providers[key] == nil else { continue }
                providers[key] = First(tenant: tenant.name, position: position, value: issuers)
            }
            if realms[realm] == nil {
                let links = tenant.accounts.linkByEmail
                realms[realm] = First(tenant: tenant.name, position: value.position, value: links)
            }
        }
        addIssuer(tenant, node)
    }

    private mutating func addIssuer(_ tenant: Tenant, _ node: DocumentNode) {
        guard let issuer = tenant.issuer, let section = node[Schema.tenant.issuer] else { return }
        let position = (section[Schema.issuer.url] ?? section).position
        let audience = IssuerAudience(issuer)
        if issuers[audience] == nil {
            issuers[audience] = First(tenant: tenant.name, position: position, value: ())
        }
        guard let directory = issuer.keysDirectory else { return }
        let known = keys[Array(directory.utf8), default: []]
        guard known.count < 2, !known.contains(where: { Self.isSame($0.value, issuer.url) }) else { return }
        keys[Array(directory.utf8), default: []]
            .append(First(tenant: tenant.name, position: position, value: issuer.url))
    }

    /// Tenants of one host, each with a path of its own, must have one certificate: it is chosen by SNI, before there
    /// is a path.
    private func checkCertificates(
        _ tenant: Tenant,
        _ hosts: [(HostPattern, DocumentNode)],
        _ session: ReadingSession
    ) {
        for (host, item) in hosts {
            guard let first = certificates[host], first.value != tenant.tls else { continue }
            let shown = item.scalar?.shown ?? "this"
            session.at(item).error(
                "\(shown) is tenant \"\(first.tenant)\"'s too (\(session.place(of: first.position, from: item.position))), with "
                    + "other \"tls\", and a name can show one certificate only: write the same \"tls\" in both"
            )
        }
    }

    /// Whether `tls` is not given, or was read: one that cannot be was reported, and is equal to nothing.
    private static func hasReadCertificate(_ tenant: Tenant, _ node: DocumentNode) -> Bool {
        tenant.tls != nil || node[Schema.tenant.tls] == nil
    }

    private func checkLinking(
        _ tenant: Tenant,
        realm: [UInt8],
        _ value: DocumentNode,
        _ node: DocumentNode,
        _ session: ReadingSession
    ) {
        guard let first = realms[realm], first.value != tenant.accounts.linkByEmail else { return }
        let own = node[Schema.tenant.accounts]?[Schema.accounts.linkByEmail] ?? value
        session.at(own).warning(
            "tenant \"\(first.tenant)\" has this realm too (\(session.place(of: first.position, from: own.position))), with "
                + "another \"link_by_email\", so that accounts depend on where somebody signs in first: write the same in both"
        )
    }

    /// An identity is the provider's name and `sub`. Two different services under one provider's name could sign people
    /// in to each other's accounts.
    private func checkProviders(
        _ tenant: Tenant,
        realm: [UInt8],
        _ node: DocumentNode,
        _ session: ReadingSession
    ) {
        for (provider, issuers, position) in Self.providers(tenant, node) {
            guard let first = providers[RealmProvider(realm: realm, provider: provider)],
                !first.value.contains(where: { known in issuers.contains { Self.isSame($0, known) } })
            else { continue }
            session.at(position).error(
                "tenant \"\(first.tenant)\" has this realm too (\(session.place(of: first.position, from: position))), with "
                    + "another \"issuer\" of \"\(provider.rawValue)\", and one could sign people in as the other's: write the "
                    + "same in both, or give them realms of their own"
            )
        }
    }

    /// The providers of a tenant's sign-in, with their issuers.
    private static func providers(
        _ tenant: Tenant,
        _ node: DocumentNode
    ) -> [(SignIn.Provider, issuers: [String], Position)] {
        guard let signIn = tenant.signIn else { return [] }
        return SignIn.Provider.allCases.compactMap { provider in
            guard let section = section(of: provider, signIn, in: node[Schema.tenant.signIn]) else { return nil }
            let position = section.value[Schema.apple.issuer]?.position ?? section.keyPosition
            return (provider, signIn.browserAddresses(of: provider).issuers, position)
        }
    }

    /// The section of `sign_in` that configures a provider: its own, or `web` if that names it.
    private static func section(
        of provider: SignIn.Provider,
        _ signIn: SignIn,
        in node: DocumentNode?
    ) -> DocumentNode.Entry? {
        let (hasOwn, own) =
            switch provider {
            case .apple: (signIn.apple != nil, Schema.signIn.apple)
            case .google: (signIn.google != nil, Schema.signIn.google)
            }
        return node?.entry(!hasOwn && signIn.web?.provider == provider ? Schema.signIn.web : own)
    }

    private func checkIssuer(_ tenant: Tenant, _ node: DocumentNode, _ session: ReadingSession) {
        guard let issuer = tenant.issuer, let section = node[Schema.tenant.issuer] else { return }
        checkAudience(issuer, section[Schema.issuer.url] ?? section, session)
        checkKeys(issuer, section[Schema.issuer.keysDir] ?? section, session)
    }

    /// One URL with two audiences gives one sign-in several backends, and no token is good for both. With one audience,
    /// a token that is revoked at one tenant is good at the other, since revocations are kept by tenant.
    private func checkAudience(_ issuer: BuiltInIssuer, _ node: DocumentNode, _ session: ReadingSession) {
        guard let first = issuers[IssuerAudience(issuer)] else { return }
        session.at(node).warning(
            "tenant \"\(first.tenant)\" has this \"url\" and this \"audience\" too "
                + "(\(session.place(of: first.position, from: node.position))): tokens of one can be good at the other, which "
                + "does not learn of their revocation; give each a \"url\" or an \"audience\" of its own"
        )
    }

    private func checkKeys(_ issuer: BuiltInIssuer, _ node: DocumentNode, _ session: ReadingSession) {
        guard let directory = issuer.keysDirectory,
            let first = keys[Array(directory.utf8)]?.first(where: { !Self.isSame($0.value, issuer.url) })
        else { return }
        session.at(node).warning(
            "tenant \"\(first.tenant)\" has these keys too (\(session.place(of: first.position, from: node.position))), for an "
                + "issuer of another \"url\": a stolen key of one issuer signs for both; give each a directory of its own"
        )
    }

    /// Byte for byte: `String` takes canonically equivalent texts for equal.
    private static func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
}
