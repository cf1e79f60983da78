import Tenants

/// The steps from one configuration to the next. A value without I/O.
struct ReloadPlan {
    /// Changes that need a restart, one per line; if there are any, nothing is changed.
    let obstacles: [String]
    /// The changes, one per line; empty if there are none. Of very many the first, see ``ListedLines``.
    let changes: [String]
    let opened: [Listener]
    let closed: [Listener]

    /// - Parameter new: The ``ConfigurationSnapshot/next(_:at:)`` of `old`.
    init(from old: ConfigurationSnapshot, to new: ConfigurationSnapshot) {
        let (before, after) = (old.configuration.gateway, new.configuration.gateway)
        obstacles = Self.obstacles(from: before, to: after)
        opened = after.listeners.filter { !before.listeners.contains($0) }
        closed = before.listeners.filter { !after.listeners.contains($0) }
        changes = ListedLines.shortened(
            opened.map { "listener \($0.address): added" } + closed.map { "listener \($0.address): removed" }
                + Self.settings(from: before, to: after) + Self.tenants(from: old, to: new)
        )
    }

    private static func obstacles(from old: GatewaySettings, to new: GatewaySettings) -> [String] {
        let fixed: [(key: String, isSame: Bool)] = [
            ("threads", old.threads == new.threads),
            ("tenants", old.tenants == new.tenants),
            ("store", old.store == new.store),
            ("state_dir", old.stateDirectory == new.stateDirectory),
            ("admin.address", old.admin?.address == new.admin?.address),
            ("admin.tls", old.admin?.tls == new.admin?.tls),
            ("ext_authz", old.extAuthz == new.extAuthz),
            ("log.format", old.log.format == new.log.format),
            ("log.access", old.log.access == new.log.access),
            ("tracing", old.tracing == new.tracing),
        ]
        // Its port cannot be opened a second time while the previous one is still open.
        let retuned = new.listeners.filter { listener in
            old.listeners.contains { $0.address == listener.address && $0 != listener }
        }
        return (fixed.filter { !$0.isSame }.map(\.key) + retuned.map { "listen: tls of \($0.address)" })
            .map { "gateway.\($0) can only change with a restart" }
    }

    private static func settings(from old: GatewaySettings, to new: GatewaySettings) -> [String] {
        let reloadable: [(key: String, isSame: Bool)] = [
            ("admin", old.admin == new.admin),
            ("trusted_proxies", old.trustedProxies == new.trustedProxies),
            ("redirect_https", old.redirectsToHTTPS == new.redirectsToHTTPS),
            ("shutdown_delay", old.shutdownDelay == new.shutdownDelay),
            ("shutdown_grace", old.shutdownGrace == new.shutdownGrace),
            ("limits", old.limits == new.limits),
            ("log", old.log == new.log),
            ("events", old.events == new.events),
        ]
        return reloadable.filter { !$0.isSame }.map { "gateway.\($0.key): changed" }
    }

    private static func tenants(from old: ConfigurationSnapshot, to new: ConfigurationSnapshot) -> [String] {
        let changed = new.indices.compactMap { index -> String? in
            let name = new.tenants[index].name
            guard index.value < old.tenants.count, old.isServed(index) else { return "tenant \(name): added" }
            guard new.revisions[index] != old.revisions[index],
                old.tenants[index].withoutLines != new.tenants[index].withoutLines
            else { return nil }
            return "tenant \(name): changed"
        }
        return changed
            + old.indices.filter { !new.isServed($0) }.map { "tenant \(old.tenants[$0].name): removed" }
    }
}
