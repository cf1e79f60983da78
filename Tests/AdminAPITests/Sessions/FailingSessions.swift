import IdentityProvider
import Store
import Synchronization
import Time
import Verification

@testable import AdminAPI

/// Sessions whose store may be away.
final class FailingSessions: SessionListing {
    private let book: SessionService
    private let away = Mutex(false)

    init(_ book: SessionService) {
        self.book = book
    }

    var isAway: Bool {
        get { away.withLock { $0 } }
        set { away.withLock { $0 = newValue } }
    }

    private func check() throws(IssuingError) {
        if isAway { throw .unavailable(.unavailable("gone")) }
    }

    func session(_ sessionID: String, at now: UnixTime) async throws(IssuingError) -> IssuerSession? {
        try check()
        return try await book.session(sessionID, at: now)
    }

    func sessions(ofSubject subject: String, at now: UnixTime) async throws(IssuingError) -> [IssuerSession] {
        try check()
        return try await book.sessions(ofSubject: subject, at: now)
    }

    func end(sessionID: String, at now: UnixTime, reason: String) async throws(IssuingError) {
        try check()
        try await book.end(sessionID: sessionID, at: now, reason: reason)
    }

    func endAll(
        ofSubject subject: String,
        before time: UnixTime,
        at now: UnixTime,
        reason: String
    ) async throws(IssuingError) {
        try check()
        try await book.endAll(ofSubject: subject, before: time, at: now, reason: reason)
    }
}

/// Revocations that the store alone knows.
struct StoredRevocations: RevocationChecks {
    let store: any Store

    func isRevoked(_ principal: Principal, tenant: String) async -> Bool { false }

    func isRevoked(_ session: IssuerSession, tenant: String) async -> Bool { false }

    func latestRevocation(ofSubject subject: String, tenant: String) async -> UnixTime? { nil }

    func revoke(_ revocations: [Revocation]) async throws(StoreError) {
        _ = try await store.revoke(revocations)
    }
}
