import ConfigurationText

/// Reads one tenant.
struct TenantReader {
    var name: String
    var isStored: Bool
    var hosts: [HostPattern]
    var pathPrefix: String?

    /// - Returns: nil if a required part is missing, which was reported.
    func read(_ node: DocumentNode, _ session: ReadingSession) -> Tenant? {
        let tls = node[Schema.tenant.tls].flatMap {
            ServerCertificateReader.read($0, Schema.serverCertificate, hosts: node[Schema.tenant.hosts], session)
        }
        let limits = limits(node[Schema.tenant.limits])
        let webSocket = WebSocketRules(onExpiry: node[Schema.tenant.websocket].read(Schema.webSocket.onExpiry))
        let backends = BackendsReader.read(node, session)
        let routes = RoutesReader(backends: backends, limits: limits, webSocket: webSocket, pathPrefix: pathPrefix)
            .read(node, session)
        let issuer = node.entry(Schema.tenant.issuer).flatMap {
            BuiltInIssuerReader(entry: $0, tenant: node, pathPrefix: pathPrefix).read(session)
        }
        let owner = IssuerOwner(name: name, node: node, issuer: issuer)
        let authentication = node[Schema.tenant.authenticate].map {
            AuthenticationReader.read($0, owner: owner, session)
        }
        let access = AccessReader.read(node[Schema.tenant.access], session)
        let identity = IdentityReader.read(node[Schema.tenant.identity] ?? .absent, session)
        let revokeOn = RevokeOnReader.read(node[Schema.tenant.revokeOn]?.items ?? [], session)
        let from = authentication?.from ?? [.bearer]
        var refresh = node.entry(Schema.tenant.refresh).flatMap {
            RefreshReader(
                entry: $0,
                tenant: node,
                from: from,
                identity: identity,
                issuer: issuer,
                trusted: authentication?.policy.issuers.map(\.issuer)
            ).read(session)
        }
        let signingIn = readSigningIn(node, from, refresh, issuer, session)
        if let web = signingIn.signIn?.web { refresh?.delivery.adoptRules(of: web) }
        let browsers = readBrowsers(node, from, identity, refresh, session)
        checkCookies(signingIn.signIn?.web, browsers.crossSite, node, session)
        let introspection = node.entry(Schema.tenant.introspection).flatMap {
            IntrospectionReader(entry: $0, tenant: node, issuer: issuer).read(session)
        }
        let proof = node.entry(Schema.tenant.dpop).map { ProofRulesReader.read($0, from: from, session) }
        let mode = session.mode(Schema.tenant.mode, of: node, "lets every request of this tenant through")
        let strips = readStripping(node, session)
        guard let authentication else { return nil }
        return Tenant(
            TenantSettings(
                name: name,
                isStored: isStored,
                hosts: hosts,
                pathPrefix: pathPrefix,
                stripPrefix: strips,
                backends: backends,
                routes: routes,
                authenticate: authentication,
                access: access,
                identity: identity,
                mode: mode,
                limits: limits,
                tls: tls,
                webSocket: webSocket,
                revokeOn: revokeOn,
                onStoreFailure: node.read(Schema.tenant.onStoreFailure),
                maxStaleness: node.read(Schema.tenant.maxStaleness),
                refresh: refresh,
                issuer: issuer,
                signIn: signingIn.signIn,
                accounts: signingIn.accounts,
                rateLimits: RateLimitsReader.read(node.read(Schema.tenant.rateLimits), session),
                crossOrigin: browsers.crossOrigin,
                crossSite: browsers.crossSite,
                headers: browsers.headers,
                introspection: introspection,
                proof: proof,
                signals: SignalsReader(issuer: issuer).read(node[Schema.tenant.signals]?.items ?? [], session),
                refusals: node[Schema.tenant.refusals].flatMap { RefusalsReader.read($0, session) },
                appVersion: node.entry(Schema.tenant.appVersion).flatMap { AppVersionReader.read($0, session) },
                tests: TenantTestsReader(
                    backends: backends,
                    routes: routes,
                    navigations: signingIn.signIn?.navigations ?? .refuse
                )
                .read(node.read(Schema.tenant.tests) ?? [], session),
                lines: TenantLines.read(node, issuers: authentication.issuerLines, session),
                signInPaths: signingIn.paths
            )
        )
    }

    private struct SigningIn {
        var signIn: SignIn?
        var accounts: AccountRules
        var paths: [PathPattern]
    }

    private func readSigningIn(
        _ node: DocumentNode,
        _ from: [TokenSource],
        _ refresh: RefreshRules?,
        _ issuer: BuiltInIssuer?,
        _ session: ReadingSession
    ) -> SigningIn {
        var paths = EndpointPaths(pathPrefix: pathPrefix, issuer: issuer)
        let signIn = node[Schema.tenant.signIn].map {
            SignInReader(node: $0, tenant: node, hosts: hosts, from: from, refresh: refresh, issuer: issuer).read(
                &paths,
                session
            )
        }
        let exchanges = [signIn?.apple?.then, signIn?.google?.then] + (signIn?.named ?? []).map { $0.exchange?.then }
        let issues =
            exchanges.contains(.issue) || signIn?.web != nil || issuer?.clients.isEmpty == false
            || refresh?.adopted.isEmpty == false
        let accounts = AccountsReader.read(node, issues: issues, session)
        return SigningIn(signIn: signIn, accounts: accounts, paths: paths.all)
    }

    /// Cookies that every site's pages cause to be sent need the check of where a request comes from.
    private func checkCookies(
        _ web: WebSignIn?,
        _ crossSite: CrossSiteRules,
        _ node: DocumentNode,
        _ session: ReadingSession
    ) {
        guard web?.cookieRules.sameSite == CookieRules.SameSite.none, crossSite.mode == .observe,
            let value = node[Schema.tenant.csrf]?[Schema.csrf.mode]
        else { return }
        session.at(value).error(
            "with \"same_site: none\" only this keeps other sites' pages from acting for a user: write enforce, or \"same_site: lax\""
        )
    }

    private struct Browsers {
        var crossOrigin: CrossOriginRules?
        var crossSite: CrossSiteRules
        var headers: HeaderRules
    }

    private func readBrowsers(
        _ node: DocumentNode,
        _ from: [TokenSource],
        _ identity: Identity,
        _ refresh: RefreshRules?,
        _ session: ReadingSession
    ) -> Browsers {
        let crossOrigin = node.entry(Schema.tenant.cors).map { CrossOriginReader.read($0, session) }
        let crossSite = CrossSiteReader.read(node, crossOrigin, session)
        let reader = HeaderRulesReader(from: from, identity: identity, refresh: refresh)
        let headers = reader.read(node[Schema.tenant.headers] ?? .absent, session)
        return Browsers(crossOrigin: crossOrigin, crossSite: crossSite, headers: headers)
    }

    private func readStripping(_ node: DocumentNode, _ session: ReadingSession) -> Bool {
        let strips = node.read(Schema.tenant.stripPrefix)
        if strips, node[Schema.tenant.pathPrefix] == nil, let entry = node.entry(Schema.tenant.stripPrefix) {
            session.at(entry).error("\"strip_prefix\" without \"path_prefix\": add the prefix, or leave it out")
        }
        return strips
    }

    private func limits(_ node: DocumentNode?) -> RequestLimits {
        RequestLimits(
            bodyBytes: node.read(Schema.requestLimits.bodyBytes),
            bodyRate: node.read(Schema.requestLimits.bodyRate),
            replayBytes: node.read(Schema.requestLimits.replayBytes)
        )
    }
}
