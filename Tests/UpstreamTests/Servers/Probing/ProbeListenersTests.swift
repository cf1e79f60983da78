import Tenants
import Testing

@testable import Upstream

@Suite struct ProbeListenersTests {
    private static func listener(_ tenant: Int, _ backend: Int = 0) -> ProbeListener {
        ProbeListener(tenant: TenantIndex(tenant), backend: BackendIndex(backend))
    }

    /// Sets a tenant's probes. Returns the ones that began and those that ended, sorted.
    private static func set(
        _ wanted: [String: [Int]],
        of tenant: Int,
        _ listeners: inout ProbeListeners<String>
    ) -> [[String]] {
        let change = listeners.set(wanted.mapValues { $0.map { BackendIndex($0) } }, of: TenantIndex(tenant))
        return [change.begun.sorted(), change.ended.sorted()]
    }

    @Test func serverOfSeveralTenantsIsProbedOnce() {
        var listeners = ProbeListeners<String>()
        let first = Self.set(["a": [0]], of: 0, &listeners)
        let second = Self.set(["a": [0, 1], "b": [0]], of: 1, &listeners)
        #expect(first == [["a"], []])
        #expect(second == [["b"], []])
        #expect(listeners.count == 2)
        #expect(listeners.of("a") == [Self.listener(0), Self.listener(1), Self.listener(1, 1)])
    }

    @Test func probeGoesOnForATenantThatKeepsIt() {
        var listeners = ProbeListeners<String>()
        _ = Self.set(["a": [0], "b": [1]], of: 0, &listeners)
        let changed = Self.set(["a": [1], "c": [0]], of: 0, &listeners)
        #expect(changed == [["c"], ["b"]])
        #expect(listeners.of("a") == [Self.listener(0, 1)], "its backends may have other indices")
    }

    @Test func probeEndsWithItsLastTenant() {
        var listeners = ProbeListeners<String>()
        for tenant in 0..<2 { _ = Self.set(["a": [0]], of: tenant, &listeners) }
        let ended = [1, 1, 0].map { Self.set([:], of: $0, &listeners) }
        #expect(ended == [[[], []], [[], []], [[], ["a"]]])
        #expect(listeners.count == 0 && !listeners.includes(TenantIndex(0)))
        let again = Self.set(["a": [0]], of: 0, &listeners)
        #expect(again == [["a"], []])
    }
}
