import SharedState
import Tenants
package import Time
import Verification

/// The times at which a verified token's status changes.
package struct TokenLifetime {
    /// The time from which the token has expired: its `exp` and the leeway.
    package let expiredFrom: UnixTime
    /// The time from which the token is refused: when it has expired, or its introspection result has.
    let refusedFrom: UnixTime
    /// The time from which it is useless, even for a refresh.
    let forgottenFrom: UnixTime
    /// The time from which it is refreshed before its expiry; `.distantFuture` if it is not.
    package let dueFrom: UnixTime
    /// The time from which it is introspected again; `.distantFuture` for signed tokens, and once that has begun.
    var introspectedAgainFrom: UnixTime

    /// - Parameter introspection: How long an introspection result holds; nil for a signed token.
    init(_ principal: Principal, _ tenant: Tenant, _ introspection: IntrospectionLifetime?) {
        expiredFrom = principal.expiresAt.map { $0 + tenant.authenticate.policy.leeway } ?? .distantFuture
        refusedFrom = min(expiredFrom, introspection?.until ?? .distantFuture)
        // Only the introspection endpoint knows whether an opaque token was valid when it expired.
        forgottenFrom = introspection == nil ? refusedFrom + tenant.refreshGrace.secondsAsDouble : refusedFrom
        introspectedAgainFrom = introspection?.aheadFrom ?? .distantFuture
        let within = tenant.refresh?.within.secondsAsDouble ?? 0
        dueFrom = within > 0 ? principal.expiresAt.map { $0 - within } ?? .distantFuture : .distantFuture
    }
}
