import Store
import Tenants
import Verification

/// What `revoke_on` revokes: the presented token, and its session if it has one.
enum SignOut {
    /// Seconds that a session's revocation is kept at least: no refresh token is good for longer by default.
    private static let sessionLifetime = 30.0 * 86_400

    /// - Parameter now: Unix seconds.
    static func revocations(of principal: Principal, _ tenant: Tenant, at now: Double) -> [Revocation] {
        let end = endOfUse(expiresAt: principal.expiresAt, tenant)
        var revocations = [
            Revocation(
                tenant: tenant.name,
                target: RevocationTarget(tokenOf: principal),
                revokedAt: now,
                expiresAt: end,
                reason: "signed out"
            )
        ]
        if let session = principal.sessionID {
            revocations.append(
                Revocation(
                    tenant: tenant.name,
                    target: .session(session),
                    revokedAt: now,
                    expiresAt: max(end, now + lifetime(tenant)),
                    reason: "signed out"
                )
            )
        }
        return revocations
    }

    /// Seconds for which tokens of a session that is ended now may still come and be worth something.
    private static func lifetime(_ tenant: Tenant) -> Double {
        let issued = tenant.issuer.map { $0.refresh + $0.access }?.secondsAsDouble ?? 0
        return max(sessionLifetime, issued) + tenant.authenticate.policy.leeway + tenant.refreshGrace.secondsAsDouble
    }

    /// Unix seconds from which a token is worth nothing any more: it has expired, clocks may differ, and it may have been
    /// good for a refresh for a while longer. Infinite for one that does not expire.
    static func endOfUse(expiresAt: Double?, _ tenant: Tenant) -> Double {
        guard let expiresAt else { return .infinity }
        return expiresAt + tenant.authenticate.policy.leeway + tenant.refreshGrace.secondsAsDouble
    }
}

extension Duration {
    var secondsAsDouble: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
