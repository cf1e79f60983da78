public import Store
public import Tenants
public import Time
public import Verification

/// What `revoke_on` revokes: the presented token, by its `jti` too where something else stands for it, and its session if
/// it has one.
public enum SignOut {
    /// Seconds that a session's revocation is kept at least: no refresh token is good for longer by default.
    private static let sessionLifetime = 30.0 * 86_400
    /// Seconds that the revocation of an opaque token is kept whose end is not known.
    public static let opaqueLifetime = 365.0 * 86_400

    public static func revocations(of principal: Principal, _ tenant: Tenant, at now: UnixTime) -> [Revocation] {
        let end = endOfUse(of: principal, tenant, at: now)
        var revocations = [
            Revocation(
                tenant: tenant.name,
                target: RevocationTarget(tokenOf: principal),
                revokedAt: now,
                expiresAt: end,
                reason: "signed out"
            )
        ]
        // Its server may know it by more than one text.
        if principal.isOpaque, let tokenID = principal.tokenID {
            revocations.append(
                Revocation(
                    tenant: tenant.name,
                    target: .token(issuer: principal.issuer, tokenID: tokenID),
                    revokedAt: now,
                    expiresAt: end,
                    reason: "signed out"
                )
            )
        }
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

    private static func endOfUse(of principal: Principal, _ tenant: Tenant, at now: UnixTime) -> UnixTime {
        guard principal.isOpaque else { return endOfUse(expiresAt: principal.expiresAt, tenant) }
        guard principal.expiresAt != nil else { return now + opaqueLifetime }
        // Some servers put the end off while the token is used.
        return max(endOfUse(expiresAt: principal.expiresAt, tenant), now + sessionLifetime)
    }

    /// The time from which a token is worth nothing any more: it has expired, clocks may differ, and it may have been
    /// good for a refresh for a while longer. `.distantFuture` for one that does not expire.
    public static func endOfUse(expiresAt: UnixTime?, _ tenant: Tenant) -> UnixTime {
        guard let expiresAt else { return .distantFuture }
        return expiresAt + tenant.authenticate.policy.leeway + tenant.refreshGrace.secondsAsDouble
    }
}
