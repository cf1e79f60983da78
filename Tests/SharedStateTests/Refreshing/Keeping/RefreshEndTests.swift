import Store
import TestSupport
import Testing
import Time
import Verification

@testable import SharedState

/// Flights past their deadline, processes that end, and what both leave behind.
@Suite(.timeLimit(.minutes(2)))
struct RefreshEndTests {
    private static let rules = FleetFlightRules.refreshing(.alone)
    private static let session = RefreshSession(tenant: 0, name: SessionName(digest: [1]))

    private func heldLease(_ flight: inout RefreshFlight, at now: MonotonicTime) -> Lease {
        let lease = Lease(key: StoreKey(tenant: "chat", kind: "refresh-lease", name: "s"), holder: "a", fencingToken: 1)
        #expect(flight.lookUp(at: now) == .lookUp)
        #expect(flight.lookedUp(.nothing, at: now) == .enqueue)
        #expect(flight.granted(at: now) == .acquire)
        #expect(flight.acquired(.held(lease), at: now) == .lookUp)
        return lease
    }

    @Test func noCallBeginsWithTooLittleTime() {
        var flight = RefreshFlight(at: 0, .refreshing(.alone))
        let late = MonotonicTime.after(Self.rules.timeLimit - Self.rules.callDuration + 1)
        _ = heldLease(&flight, at: late)
        guard case .finish(let ending) = flight.lookedUp(.nothing, at: late) else {
            Issue.record("a call was begun")
            return
        }
        #expect(ending.content == .obstacle(.late))
    }

    @Test func callUnderWayOutlivesTheTimeLimit() {
        var flight = RefreshFlight(at: 0, .refreshing(.alone))
        let late = MonotonicTime.after(Self.rules.timeLimit - Self.rules.callDuration)
        let lease = heldLease(&flight, at: late)
        #expect(flight.lookedUp(.nothing, at: late) == .call)
        #expect(flight.timeIsUp(at: .after(Self.rules.timeLimit)) == .none)
        let record = RefreshRecord.failure(.unavailable(.network), presented: nil, at: 0)
        #expect(flight.called(.value(record), at: .after(Self.rules.timeLimit)) == .publish(record, lease))
        // And no other is begun behind it.
        guard case .finish(let ending) = flight.published(.lost, at: .after(Self.rules.timeLimit)) else {
            Issue.record("it went on")
            return
        }
        #expect(ending.isUnpublished && ending.lease == nil)
    }

    @Test func noCallWithALeaseThatMayHaveExpired() {
        var flight = RefreshFlight(at: 0, .refreshing(.alone))
        let lease = heldLease(&flight, at: 0)
        #expect(flight.lookedUp(.nothing, at: 0) == .call)
        let certain = MonotonicTime.after(Self.rules.leaseDuration - FleetFlightRules.leaseMargin)
        #expect(flight.mayCall(at: certain - 1) && !flight.mayCall(at: certain))
        flight.renewed(lease, at: 1_000_000_000)
        #expect(flight.mayCall(at: certain))
        flight.leaseWasLost(lease)
        #expect(!flight.mayCall(at: 1))
        #expect(flight.notCalled(at: 1) == .lookUp)
        #expect(flight.calls == 0)
    }

    /// Everything up to the call is slow, and another instance gets the lease in the meantime.
    @Test func lostLeaseBeforeTheCallPreventsIt() async throws {
        let fixture = try RefreshFixture()
        fixture.provider.script(.failure(.network))
        let request = try fixture.request(patience: 100)
        async let answer = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        await fixture.clock.waitForSleepers(2, after: 1)
        fixture.answersRevocation.update { $0 = false }
        fixture.store.setUp(false)
        fixture.clock.advance(by: 1)
        await fixture.clock.waitForSleepers(1, after: 1)
        fixture.clock.advance(by: 3)
        await fixture.clock.waitForSleepers(1, after: 1)
        fixture.store.setUp(true)
        let taken = try #require(try await fixture.store.acquire(fixture.keys().lease, for: .seconds(3)))
        fixture.answersRevocation.update { $0 = true }
        await fixture.clock.waitForSleepers(1, after: 3.25)
        #expect(fixture.provider.calls == 1)
        try await fixture.store.release(taken)
        fixture.clock.advance(by: 3.25)
        #expect(await answer == "2")
    }

    @Test func stopWaitsForProviderAndStore() async throws {
        let fixture = try RefreshFixture(2)
        fixture.provider.hold()
        let request = try fixture.request()
        async let answer = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        async let stop: Void = fixture.services[0].stop()
        await fixture.clock.waitForSleepers(1, after: 13)
        #expect(await fixture.services[0].refresh(try fixture.request("s2")).text == "unavailable overloaded")
        fixture.provider.release()
        #expect(await answer == "2")
        await stop
        #expect(await fixture.services[1].refresh(request).text == "2 shared")
        #expect(fixture.provider.calls == 1)
    }

    @Test func stopWaitsForAReturningStore() async throws {
        let fixture = try RefreshFixture(2)
        fixture.provider.hold()
        let request = try fixture.request()
        async let answer = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        fixture.store.setUp(false)
        fixture.provider.release()
        #expect(await answer == "2")
        async let stop: Void = fixture.services[0].stop()
        await fixture.clock.waitForSleepers(1, after: 13)
        await fixture.clock.waitForSleepers(2, after: 1)
        fixture.store.setUp(true)
        fixture.clock.advance(by: 1)
        await stop
        #expect(await fixture.services[1].refresh(request).text == "2 shared")
        #expect(fixture.provider.calls == 1)
    }

    @Test func stopWaitsNoLongerThanACall() async throws {
        let fixture = try RefreshFixture()
        fixture.provider.hold()
        let request = try fixture.request()
        async let answer = fixture.services[0].refresh(request).text
        await fixture.provider.called(1)
        async let stop: Void = fixture.services[0].stop()
        await fixture.clock.waitForSleepers(1, after: 13)
        fixture.clock.advance(by: 13)
        #expect(await answer == "unavailable late")
        await stop
        fixture.provider.release()
    }

    @Test func idleServiceStopsAtOnce() async throws {
        let fixture = try RefreshFixture()
        #expect(await fixture.services[0].refresh(try fixture.request()).text == "2")
        await fixture.services[0].stop()
        #expect(fixture.clock.now.monotonic == 1000)
    }
}
