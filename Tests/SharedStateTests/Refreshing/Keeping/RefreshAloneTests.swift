import Store
import TestSupport
import Testing
import Time

@testable import SharedState

/// A flight whose store is away, step by step.
struct RefreshAloneTests {
    private static let rules = FleetFlightRules.refreshing(.alone)
    private static let second: UInt64 = 1_000_000_000
    private static let lease = Lease(
        key: StoreKey(tenant: "chat", kind: "refresh-lease", name: "s"),
        holder: "me",
        fencingToken: 1
    )

    /// A flight that has the lease, and has given the store up at three seconds.
    private func aloneWithLease() -> RefreshFlight {
        var flight = RefreshFlight(at: 0, .refreshing(.alone))
        _ = flight.lookUp(at: 0)
        _ = flight.lookedUp(.nothing, at: 0)
        _ = flight.granted(at: 0)
        _ = flight.acquired(.held(Self.lease), at: 0)
        var now: MonotonicTime = 0
        while !flight.isWithoutStore, now < .after(60 * Self.second) {
            _ = flight.lookedUp(.away, at: now)
            now += Self.second
            _ = flight.pauseEnded(at: now)
        }
        return flight
    }

    /// The lease is still renewed: if it were dropped here, no other flight could have it, nor this one.
    @Test func callWithoutTheStoreKeepsTheLease() {
        let flight = aloneWithLease()
        #expect(flight.isWithoutStore && flight.lease == Self.lease)
    }

    @Test func storeIsTriedAgainAfterACallWithoutIt() {
        var flight = aloneWithLease()
        let record = RefreshRecord.failure(.unavailable(.network), presented: nil, at: 0)
        let failed = flight.called(.failed(record, mayRetry: true), at: .after(4 * Self.second))
        guard case .pause(let until) = failed else { return #expect(Bool(false), "\(failed)") }
        let step = flight.pauseEnded(at: until)
        #expect(step == .lookUp)
    }

    /// Another holder of the lease would present the same refresh token.
    @Test func returningStoreIsUsedAgain() {
        var flight = aloneWithLease()
        let step = flight.storeIsBack(at: .after(4 * Self.second))
        #expect(step == .lookUp && !flight.isWithoutStore && flight.calls == 0)
    }

    @Test func lateFlightIsGivenUp() {
        var flight = aloneWithLease()
        let end = flight.endsAt
        let step = flight.notCalled(at: end)
        #expect(step == .finish(RefreshFlight.Ending(content: .obstacle(.late))))
        #expect(flight.stop(at: end) == .none && flight.cancelled() == .none)
    }

    /// Others of the tenant may do without the store.
    @Test func waitingForTheStoreReleasesTheCallSlot() {
        var flight = RefreshFlight(at: 0, .refreshing(.alone))
        _ = flight.lookUp(at: 0)
        _ = flight.lookedUp(.nothing, at: 0)
        _ = flight.granted(at: 0)
        _ = flight.acquired(.busy, at: 0)
        _ = flight.pauseEnded(at: .after(4 * Self.second))
        let step = flight.lookedUp(.away, at: .after(5 * Self.second))
        guard case .wait = step else { return #expect(Bool(false), "\(step)") }
    }

    // MARK: An absent store

    @Test func absentStoreIsTriedOnceBeforeTheCall() {
        var flight = RefreshFlight(at: 0, .refreshing(.alone))
        #expect(flight.lookUp(at: 0) == .lookUp)
        #expect(flight.lookedUp(.absent, at: 0) == .enqueue)
        #expect(flight.granted(at: 0) == .acquire)
        #expect(flight.acquired(.absent, at: 0) == .call)
        #expect(flight.mayCall(at: 0))
    }

    @Test func refusingFlightEndsWithStoreUnavailableOnceTheStoreIsGivenUp() {
        var flight = RefreshFlight(at: 0, .refreshing(.refuse))
        let late = MonotonicTime.after(Self.rules.storeOutageLimit)
        #expect(flight.lookUp(at: 0) == .lookUp)
        #expect(flight.lookedUp(.away, at: late) == .pause(until: late + Self.rules.storeRetryDelay))
        #expect(flight.pauseEnded(at: late + Self.rules.storeRetryDelay) == .lookUp)
        let step = flight.lookedUp(.absent, at: late + Self.rules.storeRetryDelay)
        #expect(step == .finish(RefreshFlight.Ending(content: .obstacle(.storeUnavailable))))
        #expect(!flight.isWithoutStore && flight.calls == 0)
    }

    /// The lease was free when the store went away: another instance may have it now.
    @Test func refusingFlightMakesNoCallWhenTheStoreIsLostBeforeTheLease() {
        var flight = RefreshFlight(at: 0, .refreshing(.refuse))
        _ = flight.lookUp(at: 0)
        _ = flight.lookedUp(.nothing, at: 0)
        #expect(flight.granted(at: 0) == .acquire)
        let step = flight.acquired(.absent, at: .after(Self.second))
        #expect(step == .finish(RefreshFlight.Ending(content: .obstacle(.storeUnavailable))))
    }

    /// The other instance may have its result by then.
    @Test func refusingFlightWaitsLongerForAnotherHolder() {
        var flight = RefreshFlight(at: 0, .refreshing(.refuse))
        _ = flight.lookUp(at: 0)
        _ = flight.lookedUp(.nothing, at: 0)
        _ = flight.granted(at: 0)
        _ = flight.acquired(.busy, at: 0)
        var now = MonotonicTime.after(Self.rules.leaseDuration + FleetFlightRules.leaseMargin)
        let began = now
        var step = flight.pauseEnded(at: now)
        #expect(step == .lookUp)
        while step == .lookUp, now < .after(60 * Self.second) {
            step = flight.lookedUp(.absent, at: now)
            guard case .wait(let until) = step else { break }
            now = until
            step = flight.pauseEnded(at: now)
        }
        #expect(step == .finish(RefreshFlight.Ending(content: .obstacle(.storeUnavailable))))
        #expect(now - began >= FleetFlightRules.refreshing(.refuse).holderOutageLimit)
        #expect(now - began < FleetFlightRules.refreshing(.refuse).holderOutageLimit + Self.rules.storeRetryDelay * 2)
        #expect(flight.calls == 0)
    }

    /// A result from before the outage is for the client, and for the store when it is back.
    @Test func resultIsReturnedWithoutTheStore() {
        var flight = RefreshFlight(at: 0, .refreshing(.refuse))
        _ = flight.lookUp(at: 0)
        _ = flight.lookedUp(.nothing, at: 0)
        _ = flight.granted(at: 0)
        _ = flight.acquired(.held(Self.lease), at: 0)
        #expect(flight.lookedUp(.nothing, at: 0) == .call)
        let record = RefreshRecord(
            content: .renewed(accessToken: Array("new".utf8), cookies: []),
            presented: nil,
            madeAt: 0,
            usableUntil: 30
        )
        #expect(flight.called(.value(record), at: 0) == .publish(record, Self.lease))
        let ending = RefreshFlight.Ending(content: .value(record), isOwn: true, isUnpublished: true, lease: Self.lease)
        #expect(flight.published(.away, at: .after(Self.second)) == .finish(ending))
    }
}
