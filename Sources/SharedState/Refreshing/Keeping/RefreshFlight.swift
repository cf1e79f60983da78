import Tenants
import Verification

/// One session's refresh in one process. Its value is new tokens, a refusal, or a failure.
typealias RefreshFlight = FleetSingleFlight<RefreshRecord, RefreshFailure>

extension RefreshFailure: FleetFlightObstacle {}

extension FleetFlightRules {
    /// A rotating refresh token must not be presented twice: a call is made only while the short lease is held for
    /// certain. An instance that has seen another hold it does not call without the store.
    static func refreshing(_ withoutStore: RefreshWithoutStore) -> FleetFlightRules {
        let (second, lease) = (1_000_000_000 as UInt64, 3_000_000_000 as UInt64)
        return FleetFlightRules(
            leaseDuration: lease,
            renewalInterval: second,
            storeOutageLimit: 2 * second,
            storeAttemptLimit: 2,
            holderOutageLimit: withoutStore == .alone ? .max : 2 * second + lease + leaseMargin,
            callsWithoutStore: withoutStore == .alone,
            lookupInterval: lease + leaseMargin,
            takeOverAfter: 0,
            callLimit: 3,
            callDuration: 10 * second,
            timeLimit: 60 * second
        )
    }
}
