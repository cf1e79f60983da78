/// That tenants which share accounts agree on how those are found.
struct SharedRealms {
    private struct First {
        var realm: String
        var tenant: String
        var line: Int
        var linkByEmail: Bool
    }

    /// By whose word a realm knows people.
    private struct Source {
        var realm: String
        var provider: SignIn.Provider
        var issuers: [String]
        var tenant: String
        var line: Int
    }

    private var realms: [First] = []
    private var sources: [Source] = []

    mutating func check(_ tenant: Tenant, _ entry: DocumentNode.Entry, _ session: inout ReadingSession) {
        guard let realm = tenant.accounts.realm, let place = entry.value[Schema.tenant.realm]?.place else { return }
        checkProviders(tenant, realm, entry.value, &session)
        guard let first = realms.first(where: { $0.realm.utf8.elementsEqual(realm.utf8) }) else {
            realms.append(
                First(
                    realm: realm,
                    tenant: tenant.name,
                    line: place.line,
                    linkByEmail: tenant.accounts.linkByEmail
                )
            )
            return
        }
        guard first.linkByEmail != tenant.accounts.linkByEmail else { return }
        session.findings.warning(
            entry.value[Schema.tenant.accounts]?[Schema.accounts.linkByEmail]?.place ?? place,
            "tenant \"\(first.tenant)\" has this realm too (line \(first.line)), with another \"link_by_email\", so "
                + "that accounts depend on where somebody signs in first: write the same in both"
        )
    }

    /// Identities are kept by the provider's name and its `sub` alone: of two services with one name, the one could sign
    /// people in as those whom the other knows.
    private mutating func checkProviders(
        _ tenant: Tenant,
        _ realm: String,
        _ node: DocumentNode,
        _ session: inout ReadingSession
    ) {
        guard let signIn = tenant.signIn else { return }
        for provider in SignIn.Provider.allCases {
            guard let section = Self.section(of: provider, signIn, in: node[Schema.tenant.signIn]) else { continue }
            let issuers = signIn.browserAddresses(of: provider).issuers
            let place = section.value[Schema.apple.issuer]?.place ?? section.keyPlace
            let first = sources.first { $0.realm.utf8.elementsEqual(realm.utf8) && $0.provider == provider }
            guard let first else {
                sources.append(
                    Source(
                        realm: realm,
                        provider: provider,
                        issuers: issuers,
                        tenant: tenant.name,
                        line: place.line
                    )
                )
                continue
            }
            guard !first.issuers.contains(where: { known in issuers.contains { $0.utf8.elementsEqual(known.utf8) } })
            else { continue }
            session.findings.error(
                place,
                "tenant \"\(first.tenant)\" has this realm too (line \(first.line)), with another \"issuer\" of "
                    + "\"\(provider.rawValue)\", and one could sign people in as the other's: write the same in both, or "
                    + "give them realms of their own"
            )
        }
    }

    /// Of `sign_in`, the section that brings a provider in: its own, or `web` where that names it.
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
}
