import Time
import Verification

extension Principal {
    /// Whether its token is newer: by `iat` if both have one and they differ, else by `exp` if both have one.
    func isLater(than other: Principal) -> Bool {
        if let issuedAt, let otherIssuedAt = other.issuedAt, issuedAt != otherIssuedAt {
            return issuedAt > otherIssuedAt
        }
        guard let expiresAt, let otherExpiresAt = other.expiresAt else { return false }
        return expiresAt > otherExpiresAt
    }
}

/// The latest refreshes of one tenant in this process: most requests that still carry the old token are answered from
/// here, without the store.
struct RecentRefreshes: Sendable {
    struct Result: Sendable {
        var record: RefreshRecord
        /// Of the new token.
        var principal: Principal
        /// Of the old token: if it is revoked, so is the new one.
        var oldMarks: RevocationMarks
        /// The SHA-256 of the old token.
        var oldDigest: [UInt8]
        /// Whether another instance may have refreshed the session since: the store may have a newer result.
        var isUncertain = false
    }

    struct Failure: Sendable {
        var record: RefreshRecord
        /// Whether the session was ended because of the failure.
        var endedSession: Bool
    }

    static let most = 50_000
    static let mostSpent = 100_000
    /// Nanoseconds for which this process keeps a result; the store may keep it longer.
    static let retention: UInt64 = 30_000_000_000

    var results = BoundedMap<RefreshSession, Result, MonotonicTime>(capacity: most)
    var failures = BoundedMap<RefreshSession, Failure, MonotonicTime>(capacity: most)
    /// The SHA-256 of new access tokens, by the session's new name, which may differ from the old one.
    private var newDigests = BoundedMap<RefreshSession, [UInt8], MonotonicTime>(capacity: most)
    /// The SHA-256 of used refresh tokens.
    private var spent = BoundedMap<[UInt8], Void, MonotonicTime>(capacity: mostSpent)
    /// Refresh tokens that came with an unusable access token, by session. The client never gets them and still sends
    /// the used one, in place of which they are presented.
    private var successors = BoundedMap<RefreshSession, Successor, MonotonicTime>(capacity: most)

    struct Successor: Sendable {
        /// The SHA-256 of the used refresh token.
        var presented: [UInt8]
        var refreshToken: [UInt8]
    }

    enum Known {
        case result(Result)
        case failure(Failure)
        /// The request was refused with the newest token: another refresh would not help.
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
        if request.trigger == .unauthorized, newDigests.value(for: session, at: now) == digest { return .justRefreshed }
        // Another instance may have refreshed the session, and its announcement may be lost. So the result is used only
        // for the token that it replaced, or for one older than the new token.
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
        results.insert(result, for: session, until: now + min(duration, Self.retention), at: now)
        guard let digest = result.record.newDigest else { return }
        let newName = RefreshSession(tenant: session.tenant, name: SessionName(result.principal))
        newDigests.insert(digest, for: newName, until: now + Self.retention, at: now)
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
    /// - Parameter presented: The SHA-256 of the used one.
    func successor(of presented: [UInt8], _ session: RefreshSession, at now: MonotonicTime) -> [UInt8]? {
        guard let known = successors.value(for: session, at: now), known.presented == presented else { return nil }
        return known.refreshToken
    }
}
