import Tenants
import Verification

/// One session's refresh in one process. Its value is what came of it: new tokens, a refusal, or a failure.
typealias RefreshFlight = FleetSingleFlight<RefreshRecord, RefreshFailure>

extension RefreshFailure: FleetFlightObstacle {}

extension FleetFlightRules {
    /// A refresh token that rotates must not be presented twice: the lease is short and renewed, so that a call is made
    /// under a living one, and without the store nobody goes alone who has seen another hold it.
    static func refreshing(_ withoutStore: RefreshWithoutStore) -> FleetFlightRules {
        let (second, lease) = (1_000_000_000 as UInt64, 3_000_000_000 as UInt64)
        return FleetFlightRules(
            leaseDuration: lease,
            renewalInterval: second,
            patienceWithStore: 2 * second,
            triesWithStore: 2,
            patienceWithHolder: withoutStore == .alone ? .max : 2 * second + lease + leaseMargin,
            goesAlone: withoutStore == .alone,
            lookInterval: lease + leaseMargin,
            takeOverAfter: 0,
            mostCalls: 3,
            callDuration: 10 * second,
            limit: 60 * second
        )
    }
}
