import ConfigurationText

/// Checks what tenants share against each other: a host, a realm, an issuer's URL or keys. A later tenant is compared
/// with the first.
struct SharedSettingsCheck {
    private struct First<Value> {
        var tenant: String
        var position: Position
        var value: Value
    }

    private struct Route: Hashable {
        var host: HostPattern
        var prefix: String?
    }

    private struct RealmProvider: Hashable {
        var realm: [UInt8]
        var provider: SignIn.Provider
    }

    private struct IssuerAudience: Hashable {
        var url: [UInt8]
        var audience: [UInt8]

        init(_ issuer: SharedSettings.Issuer) {
            url = Array(issuer.url.utf8)
            audience = Array(issuer.audience.utf8)
        }
    }

    private let session: ReadingSession
    private var routes: [Route: First<Void>] = [:]
    private var certificates: [HostPattern: First<ServerCertificate?>] = [:]
    /// By realm, the value of `link_by_email`.
    private var realms: [[UInt8]: First<Bool>] = [:]
    /// The provider's issuers.
    private var providers: [RealmProvider: First<[String]>] = [:]
    private var issuers: [IssuerAudience: First<Void>] = [:]
    /// By where the keys are from, the first issuer's URL, and that of the first with another URL.
    private var keys: [[UInt8]: [First<String>]] = [:]

    init(_ session: ReadingSession) {
        self.session = session
    }

    mutating func reserve(tenants count: Int) {
        routes.reserveCapacity(count)
        certificates.reserveCapacity(count)
    }

    // MARK: Hosts

    /// Checks a tenant's hosts against those that were added, and against each other.
    func checkHosts(_ hosts: [SharedSettings.Host], prefix: String?, of tenant: String) {
        var own: [Route: First<Void>] = [:]
        for host in hosts {
            let route = Route(host: host.pattern, prefix: prefix)
            if let first = routes[route] ?? own[route] {
                let below = prefix == nil ? "" : " with this path_prefix"
                session.at(host.position).error(
                    "\(host.shown)\(below) is tenant \"\(first.tenant)\"'s already (\(place(first.position, host.position))): "
                        + "give one of them another host or path_prefix"
                )
            } else if hosts.count > 1 {
                own[route] = First(tenant: tenant, position: host.position, value: ())
            }
        }
    }

    mutating func addHosts(_ hosts: [SharedSettings.Host], prefix: String?, of tenant: String) {
        for host in hosts {
            let route = Route(host: host.pattern, prefix: prefix)
            if routes[route] == nil { routes[route] = First(tenant: tenant, position: host.position, value: ()) }
        }
    }

    private func place(_ first: Position, _ other: Position) -> String {
        let line = session.place(of: first, from: other)
        return first.source == other.source ? "\(line), column \(first.column)" : "\(line):\(first.column)"
    }

    // MARK: Everything else

    /// Checks a tenant against those that were added.
    func check(_ settings: SharedSettings) {
        if let certificate = settings.certificate { checkCertificates(certificate, settings.hosts) }
        if let realm = settings.realm {
            checkProviders(settings.providers, realm: realm.name)
            checkLinking(realm)
        }
        if let issuer = settings.issuer {
            checkAudience(issuer)
            checkKeys(issuer)
        }
    }

    /// Adds a tenant for later ones to be compared with.
    mutating func add(_ settings: SharedSettings, of tenant: String) {
        if let certificate = settings.certificate {
            for host in settings.hosts where certificates[host.pattern] == nil {
                certificates[host.pattern] = First(tenant: tenant, position: host.position, value: certificate)
            }
        }
        if let realm = settings.realm { add(realm, settings.providers, of: tenant) }
        if let issuer = settings.issuer { add(issuer, of: tenant) }
    }

    private mutating func add(
        _ realm: SharedSettings.Realm,
        _ ownProviders: [SharedSettings.Provider],
        of tenant: String
    ) {
        for provider in ownProviders {
            let key = RealmProvider(realm: realm.name, provider: provider.provider)
            guard providers[key] == nil else { continue }
            providers[key] = First(tenant: tenant, position: provider.position, value: provider.issuers)
        }
        if realms[realm.name] == nil {
            realms[realm.name] = First(tenant: tenant, position: realm.position, value: realm.linksByEmail)
        }
    }

    private mutating func add(_ issuer: SharedSettings.Issuer, of tenant: String) {
        let audience = IssuerAudience(issuer)
        if issuers[audience] == nil {
            issuers[audience] = First(tenant: tenant, position: issuer.position, value: ())
        }
        for origin in issuer.keyOrigins {
            let known = keys[Array(origin.utf8), default: []]
            guard known.count < 2, !known.contains(where: { Self.isSame($0.value, issuer.url) }) else { continue }
            keys[Array(origin.utf8), default: []]
                .append(First(tenant: tenant, position: issuer.position, value: issuer.url))
        }
    }

    /// Tenants of one host, each with a path of its own, must have one certificate: it is chosen by SNI, before there
    /// is a path.
    private func checkCertificates(_ certificate: ServerCertificate?, _ hosts: [SharedSettings.Host]) {
        for host in hosts {
            guard let first = certificates[host.pattern], first.value != certificate else { continue }
            session.at(host.position).error(
                "\(host.shown) is tenant \"\(first.tenant)\"'s too (\(session.place(of: first.position, from: host.position))), with "
                    + "other \"tls\", and a name can show one certificate only: write the same \"tls\" in both"
            )
        }
    }

    private func checkLinking(_ realm: SharedSettings.Realm) {
        guard let first = realms[realm.name], first.value != realm.linksByEmail else { return }
        let position = realm.linkPosition
        session.at(position).warning(
            "tenant \"\(first.tenant)\" has this realm too (\(session.place(of: first.position, from: position))), with "
                + "another \"link_by_email\", so that accounts depend on where somebody signs in first: write the same in both"
        )
    }

    /// An identity is the provider's name and `sub`. Two different services under one provider's name could sign people
    /// in to each other's accounts.
    private func checkProviders(_ ownProviders: [SharedSettings.Provider], realm: [UInt8]) {
        for own in ownProviders {
            guard let first = providers[RealmProvider(realm: realm, provider: own.provider)],
                !first.value.contains(where: { known in own.issuers.contains { Self.isSame($0, known) } })
            else { continue }
            session.at(own.position).error(
                "tenant \"\(first.tenant)\" has this realm too (\(session.place(of: first.position, from: own.position))), with "
                    + "another \"issuer\" or \"subject\" of \"\(own.provider.rawValue)\", and one could sign people in as the other's: write the "
                    + "same in both, or give them realms of their own"
            )
        }
    }

    /// One URL with two audiences gives one sign-in several backends, and no token is good for both. With one audience,
    /// a token that is revoked at one tenant is good at the other, since revocations are kept by tenant.
    private func checkAudience(_ issuer: SharedSettings.Issuer) {
        guard let first = issuers[IssuerAudience(issuer)] else { return }
        session.at(issuer.position).warning(
            "tenant \"\(first.tenant)\" has this \"url\" and this \"audience\" too "
                + "(\(session.place(of: first.position, from: issuer.position))): tokens of one can be good at the other, which "
                + "does not learn of their revocation; give each a \"url\" or an \"audience\" of its own"
        )
    }

    private func checkKeys(_ issuer: SharedSettings.Issuer) {
        let known = issuer.keyOrigins.lazy.flatMap { keys[Array($0.utf8)] ?? [] }
        guard let first = known.first(where: { !Self.isSame($0.value, issuer.url) }) else { return }
        session.at(issuer.keysPosition).warning(
            "tenant \"\(first.tenant)\" has these keys too (\(session.place(of: first.position, from: issuer.keysPosition))), for an "
                + "issuer of another \"url\": a stolen key of one issuer signs for both; give each keys of its own"
        )
    }

    /// Byte for byte: `String` takes canonically equivalent texts for equal.
    private static func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
}
