import Logging
import Store
public import Tenants
public import Time
import TokenSigning

/// The sessions of one subject together.
extension SessionService {
    /// - Returns: Those that can be used, the latest sign-in first; at most 256.
    public func sessions(
        ofSubject subject: String,
        at now: UnixTime
    ) async throws(IssuingError) -> [IssuerSession] {
        var usable: [IssuerSession] = []
        for session in try await storedSessions(ofSubject: subject, at: now) {
            if await !revocations.isRevoked(session, tenant: rules.tenant) { usable.append(session) }
        }
        return usable
    }

    /// - Returns: Those that have not expired, the latest sign-in first, although a revocation may have ended some: their
    ///   records go with their next use.
    func storedSessions(
        ofSubject subject: String,
        at now: UnixTime
    ) async throws(IssuingError) -> [IssuerSession] {
        let list = try await mappingErrors(IssuingError.unavailable) { () async throws(StoreError) in
            try await lists.read(subject)
        }
        let (live, ended) = try await partition(list.entries, at: now)
        // If it fails, the next reader drops them.
        if !ended.isEmpty { try? await lists.change(subject, at: now) { $0.remove(ended) } }
        return live.filter { $0.belongs(to: subject) }.reversed()
    }

    /// Ends a subject's sessions that began before a time, and revokes the access tokens issued before it.
    ///
    /// - Parameters:
    ///   - reason: For operators, stored with the revocations.
    ///   - type: What others are told: `signedOut` if the subject has ended them.
    public func endAll(
        ofSubject subject: String,
        before time: UnixTime,
        at now: UnixTime,
        reason: String,
        as type: EventType
    ) async throws(IssuingError) {
        // For the longest lifetime of a session, here or at the issuer: one that is missing in the list is refused by it
        // too. And for a year, since tokens of other issuers are not taken to live longer.
        let longest = max(rules.longestSession, rules.singleSignOn, IssuerRules.defaultLongestSession)
        let all = Revocation(
            tenant: rules.tenant,
            target: .subject(subject),
            revokedAt: time,
            expiresAt: now + longest.secondsAsDouble + Self.clockDifference,
            reason: reason
        )
        try await mappingErrors(IssuingError.unavailable) { () async throws(StoreError) in
            // First, so that sessions not found yet get no new tokens.
            try await revocations.revoke([all])
            let sessions = try await lists.read(subject).entries.filter { $0.createdAt < time }
            guard !sessions.isEmpty else { return }
            for session in sessions {
                if outbox != nil, let ended = try await readForEnd(session.id) {
                    try await reportEnd(of: ended, as: type, reason: reason, at: now)
                }
                try await records.remove(session.id)
            }
            // Their access tokens that were issued after the time.
            try await revocations.revoke(sessions.map { revocation(ofSession: $0.id, at: now, reason: reason) })
            let ended = Set(sessions.map(\.id))
            try await lists.change(subject, at: now) { $0.remove(ended) }
        }
    }

    /// Ends a subject's sessions for another reason than that they have signed out.
    public func endAll(
        ofSubject subject: String,
        before time: UnixTime,
        at now: UnixTime,
        reason: String
    ) async throws(IssuingError) {
        try await endAll(ofSubject: subject, before: time, at: now, reason: reason, as: .revoked)
    }

    /// Adds a stored session to its subject's list.
    func list(_ session: IssuerSession, at now: UnixTime) async throws(IssuingError) {
        let list = try await mappingErrors(IssuingError.unavailable) { () async throws(StoreError) in
            try await lists.change(session.subject, at: now) { list in
                list.add(session)
                return list
            }
        }
        if list.entries.count > SessionList.most { try await evict(from: list, for: session, at: now) }
    }

    /// Drops sessions that have ended, and ends the oldest if there are still too many. They leave the list last: if
    /// that fails, the next sign-in does it.
    private func evict(
        from list: SessionList,
        for session: IssuerSession,
        at now: UnixTime
    ) async throws(IssuingError) {
        var (live, ended) = try await partition(list.entries, at: now)
        if live.count > SessionList.most {
            live.removeAll { $0.id == session.id }
            for old in live.prefix(live.count + 1 - SessionList.kept) {
                try await mappingErrors(IssuingError.unavailable) { () async throws(StoreError) in
                    try await reportEnd(of: old, as: .revoked, reason: "too many sessions", at: now)
                    try await records.remove(old.id)
                    try await revocations.revoke([revocation(ofSession: old.id, at: now, reason: "too many sessions")])
                }
                ended.insert(old.id)
            }
        }
        let gone = ended
        try await mappingErrors(IssuingError.unavailable) { () async throws(StoreError) in
            try await lists.change(session.subject, at: now) { $0.remove(gone) }
        }
    }

    /// - Returns: The live sessions, in the order of the entries, and the IDs of ended ones. An unreadable session is
    ///   in neither.
    private func partition(
        _ entries: [SessionList.Entry],
        at now: UnixTime
    ) async throws(IssuingError) -> (live: [IssuerSession], ended: Set<String>) {
        var live: [IssuerSession] = []
        var ended: Set<String> = []
        for entry in entries {
            do throws(IssuingError) {
                if let session = try await session(entry.id, at: now) {
                    live.append(session)
                } else {
                    ended.insert(entry.id)
                }
            } catch .unavailable(.garbled(let reason)) {
                logger.error("a session cannot be read", metadata: ["reason": "\(reason)"])
            }
        }
        return (live, ended)
    }

    func revocation(ofSession sessionID: String, at now: UnixTime, reason: String) -> Revocation {
        Revocation(
            tenant: rules.tenant,
            target: .session(sessionID),
            revokedAt: now,
            expiresAt: now + rules.access.secondsAsDouble + Self.clockDifference,
            reason: reason
        )
    }
}
