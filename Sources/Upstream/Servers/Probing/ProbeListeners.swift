package import Tenants

/// A tenant's backend that is told whether a server is up.
package struct ProbeListener: Sendable, Hashable {
    package let tenant: TenantIndex
    package let backend: BackendIndex

    package init(tenant: TenantIndex, backend: BackendIndex) {
        self.tenant = tenant
        self.backend = backend
    }
}

/// Who listens to which probe: a server that many tenants have is probed once for all of them.
struct ProbeListeners<ProbeKey: Hashable> {
    /// What a tenant's new list changes.
    struct Change {
        /// Probes that nobody listened to before.
        var begun: [ProbeKey] = []
        /// Probes that nobody listens to any more.
        var ended: [ProbeKey] = []
    }

    private var listeners: [ProbeKey: Set<ProbeListener>] = [:]
    private var keys: [TenantIndex: Set<ProbeKey>] = [:]

    var count: Int { listeners.count }

    func of(_ key: ProbeKey) -> Set<ProbeListener> { listeners[key] ?? [] }

    /// Whether the tenant listens to a probe.
    func includes(_ tenant: TenantIndex) -> Bool { keys[tenant] != nil }

    /// A tenant listens to these probes from now on, and to no others.
    mutating func set(_ wanted: [ProbeKey: [BackendIndex]], of tenant: TenantIndex) -> Change {
        var change = Change()
        for key in keys[tenant] ?? [] {
            let left = of(key).filter { $0.tenant != tenant }
            if left.isEmpty, wanted[key] == nil { change.ended.append(key) }
            listeners[key] = left.isEmpty && wanted[key] == nil ? nil : left
        }
        for (key, backends) in wanted {
            if listeners[key] == nil { change.begun.append(key) }
            listeners[key, default: []].formUnion(backends.map { ProbeListener(tenant: tenant, backend: $0) })
        }
        keys[tenant] = wanted.isEmpty ? nil : Set(wanted.keys)
        return change
    }
}
