import Events
public import Store
public import Tenants
public import Time
import Verification

/// What others are told of sessions: the webhook of `gateway.events`, and clients that a session has ended.
extension SessionService {
    func reportStart(_ session: IssuerSession) async {
        guard let outbox, outbox.wants(.signedIn) else { return }
        await outbox.keep(event(.signedIn, session, at: session.createdAt))
    }

    func reportRefresh(_ session: IssuerSession, at now: UnixTime) {
        guard let outbox, outbox.wants(.refreshed) else { return }
        outbox.note(event(.refreshed, session, at: now))
    }

    /// Writes what is to be told of the end of a session. To be called before the session is removed: if this fails the
    /// session must go on, so that whoever ends it again finds it still there. Both times it is one event.
    ///
    /// - Parameter type: ``EventType/signedOut`` or ``EventType/revoked``.
    func reportEnd(
        of session: IssuerSession,
        as type: EventType,
        reason: String,
        at now: UnixTime
    ) async throws(StoreError) {
        guard let outbox else { return }
        let details = details(of: session, reason: reason)
        let (id, subject, tenant) = (session.id, session.subject, rules.tenant)
        try await outbox.write(.end(of: id, as: type, subject: subject, tenant: tenant, at: now, details: details))
        guard let client = session.clientID, rules.mayBeToldOfLogouts(client) else { return }
        try await outbox.write(ClientLogout(tenant: tenant, client: client, subject: subject, session: id))
    }

    /// A session was revoked without being removed: the revocation may be withdrawn.
    ///
    /// - Returns: Whether it is one of these.
    public func reportEnd(
        ofSession sessionID: String,
        as type: EventType,
        reason: String,
        at now: UnixTime
    ) async throws(StoreError) -> Bool {
        guard outbox != nil, let session = try await readForEnd(sessionID), session.isLive(at: now) else {
            return false
        }
        try await reportEnd(of: session, as: type, reason: reason, at: now)
        return true
    }

    /// A subject's sessions were revoked without being removed.
    ///
    /// - Parameter time: They began before it.
    /// - Returns: Whether there are any.
    public func reportEnds(
        ofSubject subject: String,
        before time: UnixTime,
        reason: String,
        at now: UnixTime
    ) async throws(StoreError) -> Bool {
        guard outbox != nil else { return false }
        let ended = try await listed(subject, at: now).filter { $0.createdAt < time }
        for session in ended { try await reportEnd(of: session, as: .revoked, reason: reason, at: now) }
        return !ended.isEmpty
    }

    /// The sessions of a subject. A list that cannot be read has none, as far as others can be told: the revocation is
    /// in force all the same, and asking again would not help.
    private func listed(_ subject: String, at now: UnixTime) async throws(StoreError) -> [IssuerSession] {
        do throws(IssuingError) {
            return try await storedSessions(ofSubject: subject, at: now)
        } catch .unavailable(.garbled(let reason)) {
            logger.error("clients are not told of the end of sessions", metadata: ["reason": "\(reason)"])
            return []
        } catch .unavailable(let error) {
            throw error
        } catch {
            return []
        }
    }

    /// - Returns: Nil if there is none, or it is unreadable: it can be ended all the same.
    func readForEnd(_ id: String) async throws(StoreError) -> IssuerSession? {
        do throws(StoreError) {
            return try await records.read(id)?.session
        } catch .garbled(let reason) {
            logger.error("others are not told of the end of a session", metadata: ["reason": "\(reason)"])
            return nil
        } catch {
            throw error
        }
    }

    private func event(_ type: EventType, _ session: IssuerSession, at now: UnixTime) -> Event {
        Event(
            type,
            tenant: rules.tenant,
            subject: session.subject,
            session: session.id,
            at: now,
            details: details(of: session, reason: nil)
        )
    }

    private func details(of session: IssuerSession, reason: String?) -> JSONObject {
        var details = JSONObject()
        details["client_id"] = session.clientID.map(JSONValue.string)
        details["provider"] = session.provider.map(JSONValue.string)
        details["reason"] = reason.map(JSONValue.string)
        return details
    }
}
