/// Checks what tenants share against each other: a host, a realm, an issuer's URL or keys. A later tenant is compared
/// with the first.
struct SharedSettingsCheck {
    private struct First<Value> {
        var tenant: String
        var line: Int
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
    private var issuers: [First<BuiltInIssuer>] = []

    mutating func check(_ tenant: Tenant, _ node: DocumentNode, _ session: ReadingSession) {
        checkCertificates(tenant, node, session)
        if let realm = tenant.accounts.realm, let value = node[Schema.tenant.realm] {
            checkProviders(tenant, realm: Array(realm.utf8), node, session)
            checkLinking(tenant, realm: Array(realm.utf8), value, node, session)
        }
        checkIssuer(tenant, node, session)
    }

    /// Tenants of one host, each with a path of its own, must have one certificate: it is chosen by SNI, before there
    /// is a path.
    private mutating func checkCertificates(_ tenant: Tenant, _ node: DocumentNode, _ session: ReadingSession) {
        // A section that cannot be read was reported, and is equal to nothing.
        guard tenant.tls != nil || node[Schema.tenant.tls] == nil else { return }
        for item in node[Schema.tenant.hosts]?.items ?? [] {
            guard let scalar = item.scalar, let host = try? NetworkText.hostPattern(scalar.text) else { continue }
            guard let first = certificates[host] else {
                certificates[host] = First(tenant: tenant.name, line: item.position.line, value: tenant.tls)
                continue
            }
            guard first.value != tenant.tls else { continue }
            session.at(item).error(
                "\(scalar.shown) is tenant \"\(first.tenant)\"'s too (line \(first.line)), with other \"tls\", and a "
                    + "name can show one certificate only: write the same \"tls\" in both"
            )
        }
    }

    private mutating func checkLinking(
        _ tenant: Tenant,
        realm: [UInt8],
        _ value: DocumentNode,
        _ node: DocumentNode,
        _ session: ReadingSession
    ) {
        let links = tenant.accounts.linkByEmail
        guard let first = realms[realm] else {
            realms[realm] = First(tenant: tenant.name, line: value.position.line, value: links)
            return
        }
        guard first.value != links else { return }
        session.at(node[Schema.tenant.accounts]?[Schema.accounts.linkByEmail] ?? value).warning(
            "tenant \"\(first.tenant)\" has this realm too (line \(first.line)), with another \"link_by_email\", so "
                + "that accounts depend on where somebody signs in first: write the same in both"
        )
    }

    /// An identity is the provider's name and `sub`. Two different services under one provider's name could sign people
    /// in to each other's accounts.
    private mutating func checkProviders(
        _ tenant: Tenant,
        realm: [UInt8],
        _ node: DocumentNode,
        _ session: ReadingSession
    ) {
        guard let signIn = tenant.signIn else { return }
        for provider in SignIn.Provider.allCases {
            guard let section = Self.section(of: provider, signIn, in: node[Schema.tenant.signIn]) else { continue }
            let issuers = signIn.browserAddresses(of: provider).issuers
            let position = section.value[Schema.apple.issuer]?.position ?? section.keyPosition
            let key = RealmProvider(realm: realm, provider: provider)
            guard let first = providers[key] else {
                providers[key] = First(tenant: tenant.name, line: position.line, value: issuers)
                continue
            }
            guard !first.value.contains(where: { known in issuers.contains { Self.isSame($0, known) } }) else {
                continue
            }
            session.at(position).error(
                "tenant \"\(first.tenant)\" has this realm too (line \(first.line)), with another \"issuer\" of "
                    + "\"\(provider.rawValue)\", and one could sign people in as the other's: write the same in both, or "
                    + "give them realms of their own"
            )
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

    private mutating func checkIssuer(_ tenant: Tenant, _ node: DocumentNode, _ session: ReadingSession) {
        guard let issuer = tenant.issuer, let section = node[Schema.tenant.issuer] else { return }
        let url = section[Schema.issuer.url] ?? section
        checkAudience(issuer, url, session)
        checkKeys(issuer, section[Schema.issuer.keysDir] ?? section, session)
        issuers.append(First(tenant: tenant.name, line: url.position.line, value: issuer))
    }

    /// One URL with two audiences gives one sign-in several backends, and no token is good for both. With one audience,
    /// a token that is revoked at one tenant is good at the other, since revocations are kept by tenant.
    private func checkAudience(_ issuer: BuiltInIssuer, _ node: DocumentNode, _ session: ReadingSession) {
        let first = issuers.first {
            Self.isSame($0.value.url, issuer.url) && Self.isSame($0.value.audience, issuer.audience)
        }
        guard let first else { return }
        session.at(node).warning(
            "tenant \"\(first.tenant)\" has this \"url\" and this \"audience\" too (line \(first.line)): tokens of one "
                + "can be good at the other, which does not learn of their revocation; give each a \"url\" or an "
                + "\"audience\" of its own"
        )
    }

    private func checkKeys(_ issuer: BuiltInIssuer, _ node: DocumentNode, _ session: ReadingSession) {
        guard let directory = issuer.keysDirectory else { return }
        let first = issuers.first {
            $0.value.keysDirectory.map { Self.isSame($0, directory) } ?? false && !Self.isSame($0.value.url, issuer.url)
        }
        guard let first else { return }
        session.at(node).warning(
            "tenant \"\(first.tenant)\" has these keys too (line \(first.line)), for an issuer of another \"url\": "
                + "a stolen key of one issuer signs for both; give each a directory of its own"
        )
    }

    /// Byte for byte: `String` takes canonically equivalent texts for equal.
    private static func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
}
