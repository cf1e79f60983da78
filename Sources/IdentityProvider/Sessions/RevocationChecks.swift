public import Store
public import Time
public import Verification

/// The process's revocations.
public protocol RevocationChecks: Sendable {
    /// Whether an otherwise valid token of `tenant` is revoked.
    func isRevoked(_ principal: Principal, tenant: String) async -> Bool

    /// Whether the session, its subject or its tenant was revoked since it began.
    func isRevoked(_ session: IssuerSession, tenant: String) async -> Bool

    /// When the subject, or the whole tenant, was last revoked, as far as that is in force; nil if neither is.
    func latestRevocation(ofSubject subject: String, tenant: String) async -> UnixTime?

    /// When this returns, they are in force here, survive a restart, and are announced to every other instance.
    func revoke(_ revocations: [Revocation]) async throws(StoreError)
}
