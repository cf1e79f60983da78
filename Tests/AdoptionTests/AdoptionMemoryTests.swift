import Testing
import Time

@testable import Adoption
@testable import SharedState

struct AdoptionMemoryTests {
    private let now = MonotonicTime(nanoseconds: 1_000_000_000_000)

    private func key(_ name: UInt8, _ tenant: String = "app") -> AdoptionMemory.Key {
        AdoptionMemory.Key(tenant: tenant, session: SessionName(digest: [name]))
    }

    private func after(_ seconds: Double) -> MonotonicTime { now + UInt64(seconds * 1e9) }

    @Test func oneSessionIsExchangedAtATime() {
        var memory = AdoptionMemory()
        #expect(memory.begin(key(1), at: now) == .begun)
        #expect(memory.begin(key(1), at: now) == .rests(seconds: 2, isAdopted: false))
        #expect(memory.begin(key(2), at: now) == .begun)
        #expect(memory.begin(key(1, "other"), at: now) == .begun)
        memory.end(key(1))
        #expect(memory.begin(key(1), at: now) == .begun)
    }

    @Test func tenantHasBoundedExchangesAtOnce() {
        var memory = AdoptionMemory()
        for name in 0..<AdoptionMemory.mostAtOnce {
            let key = AdoptionMemory.Key(tenant: "app", session: SessionName(digest: [UInt8(name % 256), 1]))
            #expect(memory.begin(key, at: now) == .begun)
        }
        #expect(memory.begin(key(1), at: now) == .rests(seconds: 2, isAdopted: false))
        #expect(memory.begin(key(1, "other"), at: now) == .begun)
        memory.end(AdoptionMemory.Key(tenant: "app", session: SessionName(digest: [9, 1])))
        memory.end(AdoptionMemory.Key(tenant: "app", session: SessionName(digest: [9, 1])))
        #expect(memory.begin(key(1), at: now) == .begun)
        #expect(memory.begin(key(2), at: now) != .begun, "one has ended, not two")
    }

    @Test func knownSessionIsNotAskedAboutUntilThen() {
        var memory = AdoptionMemory()
        memory.remember(key(1), isAdopted: true, for: 100, at: now)
        #expect(memory.begin(key(1), at: after(40)) == .rests(seconds: 60, isAdopted: true))
        #expect(memory.begin(key(1), at: after(100)) == .begun)
    }

    @Test func forgottenSessionIsAskedAboutAgain() {
        var memory = AdoptionMemory()
        memory.remember(key(1), isAdopted: true, for: .infinity, at: now)
        memory.forget(key(1))
        #expect(memory.begin(key(1), at: now) == .begun)
    }

    @Test func onlyTheFailingTenantRests() {
        var memory = AdoptionMemory()
        memory.rest("app", at: now)
        #expect(memory.begin(key(1), at: after(2)) == .rests(seconds: 3, isAdopted: false))
        #expect(memory.begin(key(1, "other"), at: after(2)) == .begun)
        #expect(memory.begin(key(1), at: after(5)) == .begun)
    }
}
