/// Reads `sign_in`.
struct SignInReader {
    let node: DocumentNode
    let tenant: DocumentNode
    let from: [TokenSource]
    let refresh: RefreshRules?
    /// The tenant's own issuer; nil if there is none, or if it cannot be read.
    let issuer: BuiltInIssuer?

    /// What cannot be read is left out, and was reported.
    func read(_ paths: inout EndpointPaths, _ session: ReadingSession) -> SignIn {
        let signIn = SignIn(
            apple: node[Schema.signIn.apple].flatMap { AppleSignInReader(node: $0).read(&paths, session) },
            google: node[Schema.signIn.google].flatMap { GoogleSignInReader(node: $0).read(&paths, session) },
            web: node[Schema.signIn.web].flatMap {
                WebSignInReader(node: $0, apple: node[Schema.signIn.apple], from: from, refresh: refresh).read(
                    &paths,
                    session
                )
            },
            endpoints: readEndpoints(&paths, session)
        )
        checkIssuer(session)
        return signIn
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
        if let web = node.entry(Schema.signIn.web) { return (web.keyPosition, "\"web\"") }
        if let endpoints = node.entry(Schema.signIn.endpoints), !endpoints.value.entries.isEmpty {
            return (endpoints.keyPosition, "\"endpoints\"")
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
