import Store
import Testing

@testable import Gateway

/// A flight whose store is away, step by step.
struct RefreshAloneTests {
    private static let second: UInt64 = 1_000_000_000
    private static let lease = Lease(
        key: StoreKey(tenant: "chat", kind: "refresh-lease", name: "s"),
        holder: "me",
        fencingToken: 1
    )

    /// A flight that has the lease, and has given the store up at three seconds.
    private func aloneWithLease() -> RefreshFlight {
        var flight = RefreshFlight(at: 0)
        _ = flight.look(at: 0)
        _ = flight.looked(.nothing, at: 0)
        _ = flight.granted(at: 0)
        _ = flight.acquired(.held(Self.lease), at: 0)
        var now: UInt64 = 0
        while !flight.isAlone, now < 60 * Self.second {
            _ = flight.looked(.away, at: now)
            now += Self.second
            _ = flight.rested(at: now)
        }
        return flight
    }

    /// It is still renewed: given up here, nobody could have it, and this flight neither.
    @Test func whoGoesAloneKeepsHisLease() {
        let flight = aloneWithLease()
        #expect(flight.isAlone && flight.lease == Self.lease)
    }

    @Test func afterACallAloneTheStoreIsAskedAgainBeforeTheNext() {
        var flight = aloneWithLease()
        let failed = flight.called(.failed(.network), at: 4 * Self.second) {
            RefreshRecord.failure($0, presented: nil, at: 0)
        }
        guard case .rest(let until) = failed else { return #expect(Bool(false), "\(failed)") }
        let step = flight.rested(at: until)
        #expect(step == .look)
    }

    /// Whoever else has the lease by now would present the same refresh token.
    @Test func aStoreThatAnswersAgainEndsBeingAlone() {
        var flight = aloneWithLease()
        let step = flight.storeIsBack(at: 4 * Self.second)
        #expect(step == .look && !flight.isAlone && flight.calls == 0)
    }

    @Test func whatCouldNotBeCalledInTimeIsGivenUp() {
        var flight = aloneWithLease()
        let end = flight.endsAt
        let step = flight.notCalled(at: end)
        #expect(step == .finish(RefreshFlight.Ending(content: .trouble(.late))))
        #expect(flight.isFinished)
    }

    /// Others of the tenant may do without the store.
    @Test func whoWaitsForAStoreGivesHisPlaceBack() {
        var flight = RefreshFlight(at: 0)
        _ = flight.look(at: 0)
        _ = flight.looked(.nothing, at: 0)
        _ = flight.granted(at: 0)
        _ = flight.acquired(.busy, at: 0)
        _ = flight.rested(at: 4 * Self.second)
        let step = flight.looked(.away, at: 5 * Self.second)
        guard case .wait = step else { return #expect(Bool(false), "\(step)") }
    }
}
