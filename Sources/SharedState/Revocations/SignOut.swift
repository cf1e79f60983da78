public import Store
public import Tenants
public import Time
public import Verification

/// What `revoke_on` revokes: the presented token, an opaque one by its `jti` too, and its session if it has one.
public enum SignOut {
    /// Seconds for which an opaque token's revocation is kept at least: the default lifetime of refresh tokens.
    private static let sessionLifetime = 30.0 * 86_400
    /// Seconds for which the revocation of an opaque token with unknown expiry is kept.
    public static let opaqueLifetime = 365.0 * 86_400

    /// The reason where somebody has signed out.
    public static let reason = "signed out"

    /// - Parameter reason: For operators and others.
    public static func revocations(
        of principal: Principal,
        _ tenant: Tenant,
        at now: UnixTime,
        reason: String = Self.reason
    ) -> [Revocation] {
        let end = endOfUse(of: principal, tenant, at: now)
        var revocations = [
            Revocation(
                tenant: tenant.name,
                target: RevocationTarget(tokenOf: principal),
                revokedAt: now,
                expiresAt: end,
                reason: reason
            )
        ]
        // Several texts may stand for the same opaque token.
        if principal.isOpaque, let tokenID = principal.tokenID {
            revocations.append(
                Revocation(
                    tenant: tenant.name,
                    target: .token(issuer: principal.issuer, tokenID: tokenID),
                    revokedAt: now,
                    expiresAt: end,
                    reason: reason
                )
            )
        }
        if let session = principal.sessionID {
            revocations.append(
                Revocation(
                    tenant: tenant.name,
                    target: .session(session),
                    revokedAt: now,
                    expiresAt: max(end, now + tenant.revocationLife),
                    reason: reason
                )
            )
        }
        return revocations
    }

    private static func endOfUse(of principal: Principal, _ tenant: Tenant, at now: UnixTime) -> UnixTime {
        guard principal.isOpaque else { return endOfUse(expiresAt: principal.expiresAt, tenant) }
        guard principal.expiresAt != nil else { return now + opaqueLifetime }
        // Some servers extend the expiry while the token is used.
        return max(endOfUse(expiresAt: principal.expiresAt, tenant), now + sessionLifetime)
    }

    /// The time from which a token can no longer be used: its expiry, plus the leeway and the grace for refreshes.
    /// `.distantFuture` for one that does not expire.
    public static func endOfUse(expiresAt: UnixTime?, _ tenant: Tenant) -> UnixTime {
        guard let expiresAt else { return .distantFuture }
        return expiresAt + tenant.authenticate.policy.leeway + tenant.refreshGrace.secondsAsDouble
    }
}
