import IdentityProvider
import SharedState
import Store
import Time
import Verification

/// The process's revocations, for services that issue tokens.
struct KnownRevocations: RevocationChecks {
    let service: RevocationService
    /// Whether others are told of what is revoked with it; not where whoever revokes tells them.
    var isReported = true

    func isRevoked(_ principal: Principal, tenant: String) async -> Bool {
        await service.isRevoked(principal, tenant: tenant)
    }

    func isRevoked(_ session: IssuerSession, tenant: String) async -> Bool {
        let (set, now) = (await service.set(ofTenant: tenant), Clock.unix())
        if let former = session.former, set.isRevoked(RevocationMarks(former, of: session), at: now) { return true }
        return set.isRevoked(RevocationMarks(session), at: now)
    }

    func latestRevocation(ofSubject subject: String, tenant: String) async -> UnixTime? {
        await service.set(ofTenant: tenant).latestRevocation(ofSubject: subject, at: Clock.unix())
    }

    func revoke(_ revocations: [Revocation]) async throws(StoreError) {
        _ = try await service.revoke(revocations, isReported: isReported)
    }
}

extension RevocationMarks {
    /// The marks of the token that a session was begun with.
    fileprivate init(_ former: FormerToken, of session: IssuerSession) {
        let token = former.tokenID.map { RevocationDigest(.token(issuer: former.issuer, tokenID: $0)) }
        self.init(
            token: token ?? RevocationDigest(.session(session.id)),
            session: former.sessionID.map { RevocationDigest(.session($0)) },
            subject: former.subject.map { RevocationDigest(.subject($0)) },
            issuedAt: former.issuedAt ?? session.createdAt
        )
    }

    /// The revocation marks of a session; it has no single token.
    fileprivate init(_ session: IssuerSession) {
        let mark = RevocationDigest(.session(session.id))
        self.init(
            token: mark,
            session: mark,
            subject: RevocationDigest(.subject(session.subject)),
            issuedAt: min(session.signedInAt, session.createdAt)
        )
    }
}
