import Time
import Verification

extension Principal {
    /// Whether its token was issued later, or ends later, as far as the two say.
    func isLater(than other: Principal) -> Bool {
        if let issuedAt, let otherIssuedAt = other.issuedAt, issuedAt != otherIssuedAt {
            return issuedAt > otherIssuedAt
        }
        guard let expiresAt, let otherExpiresAt = other.expiresAt else { return false }
        return expiresAt > otherExpiresAt
    }
}

/// What this process remembers of one tenant's refreshes, so that most who come late cost the store nothing.
struct RecentRefreshes: Sendable {
    struct Result: Sendable {
        var record: RefreshRecord
        /// The new token's.
        var principal: Principal
        /// Of the token that was refreshed: if it is revoked, the new one falls with it.
        var oldMarks: RevocationMarks
        /// The SHA-256 of that token.
        var oldDigest: [UInt8]
        /// Whether something was said of the session since: the store may have a newer result.
        var isDoubtful = false
    }

    struct Failure: Sendable {
        var record: RefreshRecord
        /// Whether the session was ended for it.
        var endedSession: Bool
    }

    static let most = 50_000
    static let mostSpent = 100_000
    /// Nanoseconds that this process remembers a result; the store may keep it longer.
    static let memory: UInt64 = 30_000_000_000

    var results = BoundedMap<RefreshSession, Result, MonotonicTime>(capacity: most)
    var failures = BoundedMap<RefreshSession, Failure, MonotonicTime>(capacity: most)
    /// The SHA-256 of tokens that refreshes have just brought, by the session's new name, which may differ from the one
    /// that was refreshed.
    private var fresh = BoundedMap<RefreshSession, [UInt8], MonotonicTime>(capacity: most)
    /// The SHA-256 of refresh tokens that were used up.
    private var spent = BoundedMap<[UInt8], Void, MonotonicTime>(capacity: mostSpent)
    /// Refresh tokens that came with an access token which is of no use, by the session: they are what is to be
    /// presented in the place of the one that was used up for them.
    private var successors = BoundedMap<RefreshSession, Successor, MonotonicTime>(capacity: most)

    struct Successor: Sendable {
        /// The SHA-256 of the refresh token that was used up.
        var presented: [UInt8]
        var refreshToken: [UInt8]
    }

    enum Answer {
        case result(Result)
        case failure(Failure)
        case justRefreshed
    }

    func answer(
        _ session: RefreshSession,
        _ request: RefreshRequest,
        _ tenant: RefreshTenant,
        at now: MonotonicTime,
        unix: UnixTime
    ) -> Answer? {
        let digest = RefreshRecord.digest(request.accessToken)
        if request.trigger == .unauthorized, fresh.value(for: session, at: now) == digest { return .justRefreshed }
        // A session may go on elsewhere without a word to here: who brings another token than the one that was
        // refreshed, and no older one either, may be ahead of what is known.
        if let result = results.value(for: session, at: now), result.record.newDigest != digest, !result.isDoubtful,
            result.oldDigest == digest || result.principal.isLater(than: request.principal),
            tenant.isFor(request, result.record, result.principal, at: unix)
        {
            return .result(result)
        }
        if let failure = failures.value(for: session, at: now),
            failure.record.presented == nil
                || failure.record.presented == tenant.presented(request)
        {
            return .failure(failure)
        }
        return nil
    }

    mutating func remember(_ result: Result, of session: RefreshSession, for duration: UInt64, at now: MonotonicTime) {
        results.insert(result, for: session, until: now + min(duration, Self.memory), at: now)
        guard let digest = result.record.newDigest else { return }
        let newName = RefreshSession(tenant: session.tenant, name: SessionName(result.principal))
        fresh.insert(digest, for: newName, until: now + Self.memory, at: now)
    }

    mutating func remember(_ failure: Failure, of session: RefreshSession, for duration: UInt64, at now: MonotonicTime)
    {
        failures.insert(failure, for: session, until: now + duration, at: now)
    }

    /// Something happened to the session that this process does not know.
    mutating func doubt(_ session: RefreshSession) {
        results.update(session) { $0.isDoubtful = true }
        failures.remove(session)
    }

    /// Words about sessions may have been missed.
    mutating func doubtAll() {
        results.updateAll { $0.isDoubtful = true }
        failures.removeAll()
    }

    /// - Parameter duration: Nanoseconds.
    mutating func spend(_ digest: [UInt8], for duration: UInt64, at now: MonotonicTime) {
        spent.insert((), for: digest, until: now + duration, at: now)
    }

    func isSpent(_ digest: [UInt8], at now: MonotonicTime) -> Bool { spent.value(for: digest, at: now) != nil }

    mutating func keep(_ successor: Successor, of session: RefreshSession, for duration: UInt64, at now: MonotonicTime)
    {
        successors.insert(successor, for: session, until: now + duration, at: now)
    }

    /// What is to be presented in the place of a refresh token that was used up.
    ///
    /// - Parameter presented: Its SHA-256.
    func successor(of presented: [UInt8], _ session: RefreshSession, at now: MonotonicTime) -> [UInt8]? {
        guard let known = successors.value(for: session, at: now), known.presented == presented else { return nil }
        return known.refreshToken
    }
}
