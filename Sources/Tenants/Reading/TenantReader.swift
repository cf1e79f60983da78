/// Reads one tenant.
struct TenantReader {
    var name: String
    var hosts: [HostPattern]
    var pathPrefix: String?

    /// - Returns: nil where a part is missing without which there is no tenant; that was reported.
    func read(_ node: DocumentNode, _ session: inout ReadingSession) -> Tenant? {
        let tls = node["tls"].flatMap { ServerCertificateReader.read($0, hosts: node["hosts"], &session) }
        let backend = node["backend"].map { BackendReader.read($0, &session) }
        let authentication = node["authenticate"].map { AuthenticationReader.read($0, tenant: node, &session) }
        let access = node["access"].map { AccessReader.read($0, &session) }
        let identity = node["identity"].map { IdentityReader.read($0, &session) }
        let revokeOn = node["revoke_on"].map { RevokeOnReader.read($0, &session) } ?? []
        let issuer = node["issuer"].flatMap { BuiltInIssuerReader.read($0, session) }
        let refresh = node.entry("refresh").flatMap {
            RefreshReader(
                entry: $0,
                tenant: node,
                from: authentication?.from ?? [.bearer],
                identity: identity ?? Identity(),
                issuer: issuer
            ).read(&session)
        }
        let mode = node.text("mode").flatMap(Tenant.Mode.init(rawValue:)) ?? .enforce
        if mode == .observe, let place = node["mode"]?.place {
            session.findings.warning(
                place,
                "mode observe lets every request of \"\(name)\" through: use it for a migration only"
            )
        }
        let strips = node.boolean("strip_prefix") ?? false
        if strips, node["path_prefix"] == nil, let place = node.entry("strip_prefix")?.keyPlace {
            session.findings.error(place, "\"strip_prefix\" without \"path_prefix\": add the prefix, or leave it out")
        }
        guard let backend, let authentication else { return nil }
        return Tenant(
            name: name,
            hosts: hosts,
            pathPrefix: pathPrefix,
            stripPrefix: strips,
            backend: backend,
            authenticate: authentication,
            access: access ?? AccessRules([]),
            identity: identity ?? Identity(),
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
            signInPaths: node["sign_in"].map { SignInPathsReader.read($0, &session) } ?? []
        )
    }

    private func limits(_ node: DocumentNode?) -> RequestLimits {
        var limits = RequestLimits(bodyBytes: node?.size("body_bytes"))
        limits.replayBytes = node?.size("replay_bytes") ?? limits.replayBytes
        return limits
    }
}
