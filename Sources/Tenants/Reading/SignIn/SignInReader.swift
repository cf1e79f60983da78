import ConfigurationText

/// Reads `sign_in`.
struct SignInReader {
    let node: DocumentNode
    let tenant: DocumentNode
    let hosts: [HostPattern]
    let from: [TokenSource]
    let refresh: RefreshRules?
    /// The tenant's own issuer; nil if there is none, or if it cannot be read.
    let issuer: BuiltInIssuer?

    /// What cannot be read is left out, and was reported.
    func read(_ paths: inout EndpointPaths, _ session: ReadingSession) -> SignIn {
        var signIn = SignIn(
            apple: node[Schema.signIn.apple].flatMap { AppleSignInReader(node: $0).read(&paths, session) },
            google: node[Schema.signIn.google].flatMap { GoogleSignInReader(node: $0).read(&paths, session) },
            named: node[Schema.signIn.providers].map { NamedProvidersReader(node: $0).read(&paths, session) } ?? [],
            web: node[Schema.signIn.web].flatMap {
                WebSignInReader(
                    node: $0,
                    apple: node[Schema.signIn.apple],
                    hasProviders: hasProviders,
                    hosts: hosts,
                    from: from,
                    refresh: refresh
                ).read(&paths, session)
            },
            endpoints: readEndpoints(&paths, session)
        )
        takeCallbacks(signIn, &paths, session)
        signIn.who = node.entry(Schema.signIn.who).flatMap {
            AdmissionReader.read($0, providers: signIn.providers, session)
        }
        signIn.navigations = readNavigations(session)
        AccountPageReader(node: node, hosts: hosts).read(&signIn, &paths, session)
        AccountDeletionReader(node: node, tenant: tenant).read(&signIn, &paths, session)
        // Of all parts together, so last.
        SignInCheck(node: node).check(signIn, session)
        checkIssuer(session)
        return signIn
    }

    private var hasProviders: Bool { node[Schema.signIn.providers]?.entries.isEmpty == false }

    /// Takes the paths where providers return to, beside the fixed ones of the issuer.
    private func takeCallbacks(_ signIn: SignIn, _ paths: inout EndpointPaths, _ session: ReadingSession) {
        guard hasProviders, let section = node.entry(Schema.signIn.providers) else { return }
        for provider in signIn.named {
            let position = section.value.entry(named: provider.name)?.keyPosition ?? section.keyPosition
            if let issuer {
                paths.take(
                    issuer.basePath + IssuerPath.callback(of: .named(provider.name)),
                    by: provider.name,
                    at: position,
                    session
                )
            }
        }
        guard let web = signIn.web else { return }
        for provider in signIn.pageProviders {
            paths.take(web.callback(of: provider), by: Schema.webSignIn.callback.name, at: section.keyPosition, session)
        }
    }

    private func readNavigations(_ session: ReadingSession) -> UnauthenticatedNavigation {
        let section = node[Schema.signIn.unauthenticated]
        let navigations = section.read(Schema.unauthenticated.navigations)
        if navigations == .signIn, node[Schema.signIn.web] == nil,
            let entry = section?.entry(Schema.unauthenticated.navigations)
        {
            session.at(entry).error("browsers are led to \"login\" of \"web\", which is not there: add that section")
        }
        return navigations
    }

    private func readEndpoints(_ paths: inout EndpointPaths, _ session: ReadingSession) -> SessionEndpoints {
        guard let endpoints = node[Schema.signIn.endpoints] else { return SessionEndpoints() }
        return SessionEndpoints(
            refresh: paths.read(Schema.endpoints.refresh, in: endpoints, session),
            validate: paths.read(Schema.endpoints.validate, in: endpoints, session),
            me: paths.read(Schema.endpoints.me, in: endpoints, session),
            logout: paths.read(Schema.endpoints.logout, in: endpoints, session)
        )
    }

    /// Whether a tenant that issues tokens has an issuer, and accepts its tokens.
    private func checkIssuer(_ session: ReadingSession) {
        guard let need = firstNeed else { return }
        guard tenant[Schema.tenant.issuer] != nil else {
            session.at(need.position)
                .error("\(need.what) needs the tenant's own issuer, and it has none: add an \"issuer\" section")
            return
        }
        guard let issuer, !issuer.isTrusted(by: tenant) else { return }
        session.at(need.position).error(
            "\(need.what) needs the tokens of the tenant's own issuer to be good here: add \"preset: built-in\" to "
                + "\"issuers\" of \"authenticate\""
        )
    }

    /// What of the section gives out tokens of the tenant's own issuer, or takes them.
    private var firstNeed: (position: Position, what: String)? {
        for section in [node[Schema.signIn.apple], node[Schema.signIn.google]] {
            guard section.read(Schema.exchange.then) == .issue, let then = section?[Schema.exchange.then] else {
                continue
            }
            return (then.position, "then issue")
        }
        for provider in node[Schema.signIn.providers]?.entries ?? [] {
            let exchange = provider.value[Schema.namedProvider.exchange]
            if exchange.read(Schema.namedExchange.then) == .issue, let then = exchange?[Schema.namedExchange.then] {
                return (then.position, "then issue")
            }
        }
        if let web = node.entry(Schema.signIn.web) { return (web.keyPosition, "\"web\"") }
        if let providers = node.entry(Schema.signIn.providers),
            providers.value.entries.contains(where: { $0.value[Schema.namedProvider.exchange] == nil })
        {
            return (providers.keyPosition, "\"providers\"")
        }
        if let endpoints = node.entry(Schema.signIn.endpoints), !endpoints.value.entries.isEmpty {
            return (endpoints.keyPosition, "\"endpoints\"")
        }
        if let deletion = node.entry(Schema.signIn.deleteAccount) {
            return (deletion.keyPosition, "\"delete_account\"")
        }
        return nil
    }
}

extension BuiltInIssuer {
    /// Whether the tenant accepts its tokens; a tenant without any issuer was reported before.
    func isTrusted(by tenant: DocumentNode) -> Bool {
        guard let issuers = tenant[Schema.tenant.authenticate]?[Schema.authenticate.issuers] else {
            return tenant[Schema.tenant.introspection] == nil
        }
        return issuers.items.contains {
            $0.read(Schema.trustedIssuer.preset) == .builtIn || $0.read(Schema.trustedIssuer.issuer) == url
        }
    }
}
