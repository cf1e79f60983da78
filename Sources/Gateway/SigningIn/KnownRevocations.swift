import IdentityProvider
import SharedState
import Store
import Time
import Verification

/// What the process knows of revocations, for those who issue tokens.
struct KnownRevocations: RevocationChecks {
    let service: RevocationService

    func isRevoked(_ principal: Principal, tenant: String) async -> Bool {
        await service.isRevoked(principal, tenant: tenant)
    }

    func isRevoked(_ session: IssuerSession, tenant: String) async -> Bool {
        let set = await service.set(ofTenant: tenant)
        return set.isRevoked(RevocationMarks(session), at: Clock.unix())
    }

    func revoke(_ revocations: [Revocation]) async throws(StoreError) {
        _ = try await service.revoke(revocations)
    }
}

extension RevocationMarks {
    /// What a session may be revoked by; it has no token that stands for it alone.
    fileprivate init(_ session: IssuerSession) {
        let mark = RevocationDigest(.session(session.id))
        self.init(
            token: mark,
            session: mark,
            subject: RevocationDigest(.subject(session.subject)),
            issuedAt: session.createdAt
        )
    }
}
