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
struct ProbeListeners<Question: Hashable> {
    /// What a tenant's new list changes.
    struct Change {
        /// Probes that nobody listened to before.
        var begun: [Question] = []
        /// Probes that nobody listens to any more.
        var ended: [Question] = []
    }

    private var listeners: [Question: Set<ProbeListener>] = [:]
    private var questions: [TenantIndex: Set<Question>] = [:]

    var count: Int { listeners.count }

    func of(_ question: Question) -> Set<ProbeListener> { listeners[question] ?? [] }

    /// Whether the tenant listens to a probe.
    func includes(_ tenant: TenantIndex) -> Bool { questions[tenant] != nil }

    /// A tenant listens to these probes from now on, and to no others.
    mutating func set(_ wanted: [Question: [BackendIndex]], of tenant: TenantIndex) -> Change {
        var change = Change()
        for question in questions[tenant] ?? [] {
            let left = of(question).filter { $0.tenant != tenant }
            if left.isEmpty, wanted[question] == nil { change.ended.append(question) }
            listeners[question] = left.isEmpty && wanted[question] == nil ? nil : left
        }
        for (question, backends) in wanted {
            if listeners[question] == nil { change.begun.append(question) }
            listeners[question, default: []].formUnion(backends.map { ProbeListener(tenant: tenant, backend: $0) })
        }
        questions[tenant] = wanted.isEmpty ? nil : Set(wanted.keys)
        return change
    }
}
