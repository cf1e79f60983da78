import Store
import Synchronization
import Tenants
import Time
import Verification

@testable import IdentityProvider

/// Revocations, read from the store for each check.
struct StoredRevocations: RevocationChecks {
    let store: any Store

    func isRevoked(_ principal: Principal, tenant: String) async -> Bool {
        var targets: [RevocationTarget] = []
        if let tokenID = principal.tokenID { targets.append(.token(issuer: principal.issuer, tokenID: tokenID)) }
        if let sessionID = principal.sessionID { targets.append(.session(sessionID)) }
        return await isRevoked(targets, subject: principal.subject, since: since(principal), tenant)
    }

    func isRevoked(_ session: IssuerSession, tenant: String) async -> Bool {
        await isRevoked([.session(session.id)], subject: session.subject, since: session.signedInAt, tenant)
    }

    private func since(_ principal: Principal) -> UnixTime {
        let signedInAt = principal.claims[ReservedClaims.signedInAt]?.double.map { UnixTime($0) }
        return min(principal.issuedAt ?? 0, signedInAt ?? .distantFuture)
    }

    func latestRevocation(ofSubject subject: String, tenant: String) async -> UnixTime? {
        let records = Mutex<[RevocationRecord]>([])
        _ = try? await store.loadRevocations(tenants: [tenant]) { page in records.withLock { $0 += page } }
        let digests = [RevocationDigest(.subject(subject)), RevocationDigest(.tenant)]
        return records.withLock { $0 }
            .filter { !$0.isWithdrawn && $0.tenant == tenant && digests.contains($0.digest) }
            .map(\.revokedAt)
            .max()
    }

    func revoke(_ revocations: [Revocation]) async throws(StoreError) { _ = try await store.revoke(revocations) }

    private func isRevoked(
        _ targets: [RevocationTarget],
        subject: String?,
        since: UnixTime,
        _ tenant: String
    ) async -> Bool {
        let records = Mutex<[RevocationRecord]>([])
        do {
            _ = try await store.loadRevocations(tenants: [tenant]) { page in records.withLock { $0 += page } }
        } catch {
            return true
        }
        let inForce = records.withLock { $0 }.filter { !$0.isWithdrawn && $0.tenant == tenant }
        let always = Set(targets.map { RevocationDigest($0) })
        var before: Set = [RevocationDigest(.tenant)]
        if let subject { before.insert(RevocationDigest(.subject(subject))) }
        return inForce.contains {
            always.contains($0.digest) || (before.contains($0.digest) && since < $0.revokedAt)
        }
    }
}
