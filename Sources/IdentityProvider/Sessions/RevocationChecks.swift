public import Store
public import Verification

/// The process's revocations.
public protocol RevocationChecks: Sendable {
    /// Whether an otherwise valid token of `tenant` is revoked.
    func isRevoked(_ principal: Principal, tenant: String) async -> Bool

    /// Whether the session, its subject or its tenant was revoked since it began.
    func isRevoked(_ session: IssuerSession, tenant: String) async -> Bool

    /// When this returns, they are in force here, survive a restart, and are announced to every other instance.
    func revoke(_ revocations: [Revocation]) async throws(StoreError)
}
