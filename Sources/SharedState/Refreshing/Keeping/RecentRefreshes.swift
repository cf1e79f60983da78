import Time
import Verification

extension Principal {
    /// Whether its token was issued later, or expires later, as far as both tokens have these claims.
    func isLater(than other: Principal) -> Bool {
        if let issuedAt, let otherIssuedAt = other.issuedAt, issuedAt != otherIssuedAt {
            return issuedAt > otherIssuedAt
        }
        guard let expiresAt, let otherExpiresAt = other.expiresAt else { return false }
        return expiresAt > otherExpiresAt
    }
}

/// The latest refreshes of one tenant in this process, so that most late requests need no store.
struct RecentRefreshes: Sendable {
    struct Result: Sendable {
        var record: RefreshRecord
        /// The new token's.
        var principal: Principal
        /// Of the token that was refreshed: if it is revoked, so is the new one.
        var oldMarks: RevocationMarks
        /// The SHA-256 of that token.
        var oldDigest: [UInt8]
        /// Whether the session was announced since: the store may have a newer result.
        var isUncertain = false
    }

    struct Failure: Sendable {
        var record: RefreshRecord
        /// Whether the session was ended for it.
        var endedSession: Bool
    }

    static let most = 50_000
    static let mostSpent = 100_000
    /// Nanoseconds for which this process remembers a result; the store may keep it longer.
    static let memory: UInt64 = 30_000_000_000

    var results = BoundedMap<RefreshSession, Result, MonotonicTime>(capacity: most)
    var failures = BoundedMap<RefreshSession, Failure, MonotonicTime>(capacity: most)
    /// The SHA-256 of new access tokens, by the session's new name, which may differ from the old one.
    private var fresh = BoundedMap<RefreshSession, [UInt8], MonotonicTime>(capacity: most)
    /// The SHA-256 of used refresh tokens.
    private var spent = BoundedMap<[UInt8], Void, MonotonicTime>(capacity: mostSpent)
    /// Refresh tokens that came with an unusable access token, by session: they are presented instead of the used one
    /// that the client still has.
    private var successors = BoundedMap<RefreshSession, Successor, MonotonicTime>(capacity: most)

    struct Successor: Sendable {
        /// The SHA-256 of the used refresh token.
        var presented: [UInt8]
        var refreshToken: [UInt8]
    }

    enum Known {
        case result(Result)
        case failure(Failure)
        case justRefreshed
    }

    func lookUp(
        _ session: RefreshSession,
        _ request: RefreshRequest,
        _ tenant: RefreshTenant,
        at now: MonotonicTime,
        unix: UnixTime
    ) -> Known? {
        let digest = RefreshRecord.digest(request.accessToken)
        if request.trigger == .unauthorized, fresh.value(for: session, at: now) == digest { return .justRefreshed }
        // The session may have been refreshed elsewhere without an announcement: a token that is neither the one that
        // was refreshed nor an older one may be newer than this result.
        if let result = results.value(for: session, at: now), result.record.newDigest != digest, !result.isUncertain,
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

    /// Another instance has changed the session.
    mutating func markUncertain(_ session: RefreshSession) {
        results.update(session) { $0.isUncertain = true }
        failures.remove(session)
    }

    /// Announcements may have been missed.
    mutating func markAllUncertain() {
        results.updateAll { $0.isUncertain = true }
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

    /// The refresh token to present instead of a used one.
    ///
    /// - Parameter presented: The used one's SHA-256.
    func successor(of presented: [UInt8], _ session: RefreshSession, at now: MonotonicTime) -> [UInt8]? {
        guard let known = successors.value(for: session, at: now), known.presented == presented else { return nil }
        return known.refreshToken
    }
}
