/// Reads one tenant.
struct TenantReader {
    var name: String
    var hosts: [HostPattern]
    var pathPrefix: String?

    /// - Returns: nil where a part is missing without which there is no tenant; that was reported.
    func read(_ node: DocumentNode, _ session: inout ReadingSession) -> Tenant? {
        let tls = node["tls"].flatMap { ServerCertificateReader.read($0, hosts: node["hosts"], &session) }
        let backend = node["backend"].map { BackendReader.read($0, &session) }
        let issuer = node.entry("issuer").flatMap {
            BuiltInIssuerReader(entry: $0, tenant: node, pathPrefix: pathPrefix).read(&session)
        }
        let owner = IssuerOwner(name: name, node: node, issuer: issuer)
        let authentication = node["authenticate"].map { AuthenticationReader.read($0, owner: owner, &session) }
        let access = node["access"].map { AccessReader.read($0, &session) }
        let identity = node["identity"].map { IdentityReader.read($0, &session) } ?? Identity()
        let revokeOn = node["revoke_on"].map { RevokeOnReader.read($0, &session) } ?? []
        let from = authentication?.from ?? [.bearer]
        let refresh = node.entry("refresh").flatMap {
            RefreshReader(entry: $0, tenant: node, from: from, identity: identity, issuer: issuer).read(&session)
        }
        let signingIn = readSigningIn(node, from, refresh, issuer, &session)
        let browsers = readBrowsers(node, from, identity, refresh, &session)
        let introspection = node.entry("introspection").flatMap {
            IntrospectionReader(entry: $0, tenant: node, issuer: issuer).read(&session)
        }
        let proof = node.entry("dpop").map { ProofRulesReader.read($0, from: from, &session) }
        let mode = readMode(node, &session)
        let strips = readStripping(node, &session)
        guard let backend, let authentication else { return nil }
        return Tenant(
            name: name,
            hosts: hosts,
            pathPrefix: pathPrefix,
            stripPrefix: strips,
            backend: backend,
            authenticate: authentication,
            access: access ?? AccessRules([]),
            identity: identity,
            mode: mode,
            limits: limits(node["limits"]),
            tls: tls,
            webSocket: WebSocketRules(
                onExpiry: node["websocket"]?.text("on_expiry").flatMap(WebSocketRules.OnExpiry.init(rawValue:))
                    ?? .close
            ),
            revokeOn: revokeOn,
            onStoreFailure: node.text("on_store_failure").flatMap(StoreFailurePolicy.init(rawValue:)) ?? .deny,
            maxStaleness: node.duration("max_staleness") ?? .seconds(30),
            refresh: refresh,
            issuer: issuer,
            signIn: signingIn.signIn,
            accounts: signingIn.accounts,
            rateLimits: node["rate_limits"].map { RateLimitsReader.read($0, &session) } ?? [],
            crossOrigin: browsers.crossOrigin,
            crossSite: browsers.crossSite,
            headers: browsers.headers,
            introspection: introspection,
            proof: proof,
            tests: node["tests"].map { TenantTestsReader.read($0, &session) } ?? [],
            lines: TenantLines.read(node, issuers: authentication.issuerLines),
            signInPaths: signingIn.paths
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
        _ session: inout ReadingSession
    ) -> SigningIn {
        var paths = EndpointPaths(pathPrefix: pathPrefix, issuer: issuer)
        let signIn = node["sign_in"].map {
            SignInReader(node: $0, tenant: node, from: from, refresh: refresh, issuer: issuer).read(&paths, &session)
        }
        let exchanges = [signIn?.apple?.then, signIn?.google?.then]
        let issues = exchanges.contains(.issue) || signIn?.web != nil || issuer?.clients.isEmpty == false
        let accounts = AccountsReader.read(node, issues: issues, &session)
        return SigningIn(signIn: signIn, accounts: accounts, paths: paths.all)
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
        _ session: inout ReadingSession
    ) -> Browsers {
        let crossOrigin = node.entry("cors").map { CrossOriginReader.read($0, &session) }
        let crossSite = CrossSiteReader.read(node, crossOrigin, &session)
        let reader = HeaderRulesReader(from: from, identity: identity, refresh: refresh)
        let headers = node["headers"].map { reader.read($0, &session) } ?? HeaderRules()
        return Browsers(crossOrigin: crossOrigin, crossSite: crossSite, headers: headers)
    }

    private func readMode(_ node: DocumentNode, _ session: inout ReadingSession) -> Tenant.Mode {
        let mode = node.text("mode").flatMap(Tenant.Mode.init(rawValue:)) ?? .enforce
        if mode == .observe, let place = node["mode"]?.place {
            session.findings.warning(
                place,
                "mode observe lets every request of \"\(name)\" through: use it for a migration only"
            )
        }
        return mode
    }

    private func readStripping(_ node: DocumentNode, _ session: inout ReadingSession) -> Bool {
        let strips = node.boolean("strip_prefix") ?? false
        if strips, node["path_prefix"] == nil, let place = node.entry("strip_prefix")?.keyPlace {
            session.findings.error(place, "\"strip_prefix\" without \"path_prefix\": add the prefix, or leave it out")
        }
        return strips
    }

    private func limits(_ node: DocumentNode?) -> RequestLimits {
        var limits = RequestLimits(bodyBytes: node?.size("body_bytes"))
        limits.bodyRate = node?.rate("body_rate") ?? limits.bodyRate
        limits.replayBytes = node?.size("replay_bytes") ?? limits.replayBytes
        return limits
    }
}
