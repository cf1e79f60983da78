public import Store
public import Verification

/// What the whole process knows of revocations.
public protocol RevocationChecks: Sendable {
    /// Whether a token of `tenant` is refused although it is good.
    func isRevoked(_ principal: Principal, tenant: String) async -> Bool

    /// Whether the session, its subject or its tenant was revoked since it began.
    func isRevoked(_ session: IssuerSession, tenant: String) async -> Bool

    /// When this returns, they are in force here, survive a restart, and every other instance is told.
    func revoke(_ revocations: [Revocation]) async throws(StoreError)
}
