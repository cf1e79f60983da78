import SharedState
import Tenants
package import Time
import Verification

/// The times at which a verified token changes what it is good for.
package struct TokenLifetime {
    /// The time from which the token has expired: its `exp` and the leeway.
    package let expiredFrom: UnixTime
    /// The time from which the token is refused: when it has expired, or what its server said is not believed any
    /// more.
    let refusedFrom: UnixTime
    /// The time from which it is worth nothing any more, not even a refresh.
    let forgottenFrom: UnixTime
    /// The time from which it is refreshed ahead; `.distantFuture` where that is not done.
    package let dueFrom: UnixTime
    /// The time from which its server is asked again; `.distantFuture` for a token that nobody has to be asked about, and
    /// once that is done.
    var askedAgainFrom: UnixTime

    /// - Parameter belief: For how long an opaque token's server is believed; nil for a token that proves itself.
    init(_ principal: Principal, _ tenant: Tenant, _ belief: IntrospectionLifetime?) {
        expiredFrom = principal.expiresAt.map { $0 + tenant.authenticate.policy.leeway } ?? .distantFuture
        refusedFrom = min(expiredFrom, belief?.until ?? .distantFuture)
        // Whether an opaque token was good when it expired, its server alone could tell.
        forgottenFrom = belief == nil ? refusedFrom + tenant.refreshGrace.secondsAsDouble : refusedFrom
        askedAgainFrom = belief?.aheadFrom ?? .distantFuture
        let within = tenant.refresh?.within.secondsAsDouble ?? 0
        dueFrom = within > 0 ? principal.expiresAt.map { $0 - within } ?? .distantFuture : .distantFuture
    }
}
