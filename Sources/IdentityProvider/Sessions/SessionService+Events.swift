import Events
import Store
public import Tenants
public import Time
import Verification

/// What others are told of sessions: the webhook of `gateway.events`, and clients that a session has ended.
extension SessionService {
    /// Whether anybody is told that a session has ended.
    var tellsOfEnds: Bool {
        guard let outbox else { return false }
        return !rules.clientsToldOfLogouts.isEmpty || outbox.wants(.signedOut) || outbox.wants(.revoked)
    }

    func reportStart(_ session: IssuerSession) async {
        guard let outbox, outbox.wants(.signedIn) else { return }
        await outbox.keep(event(.signedIn, session, at: session.createdAt))
    }

    func reportRefresh(_ session: IssuerSession, at now: UnixTime) {
        guard let outbox, outbox.wants(.refreshed) else { return }
        outbox.note(event(.refreshed, session, at: now))
    }

    /// Keeps what is to be told of the end of a session. To be called before the session is removed: whoever ends it
    /// again after a crash finds it still there, and both give one event.
    ///
    /// - Parameter type: ``EventType/signedOut`` or ``EventType/revoked``.
    func reportEnd(of session: IssuerSession, as type: EventType, reason: String, at now: UnixTime) async {
        guard let outbox else { return }
        if outbox.wants(type) {
            await outbox.keep(
                .end(
                    of: session.id,
                    as: type,
                    subject: session.subject,
                    tenant: rules.tenant,
                    at: now,
                    details: details(of: session, reason: reason)
                )
            )
        }
        guard let client = session.clientID, rules.clientsToldOfLogouts[client] != nil else { return }
        await outbox.keep(
            ClientLogout(tenant: rules.tenant, client: client, subject: session.subject, session: session.id)
        )
    }

    /// A session was revoked without being removed: the revocation may be withdrawn.
    ///
    /// - Returns: Whether it is one of these.
    public func reportEnd(
        ofSession sessionID: String,
        as type: EventType,
        reason: String,
        at now: UnixTime
    ) async -> Bool {
        guard tellsOfEnds, let session = try? await session(sessionID, at: now) else { return false }
        await reportEnd(of: session, as: type, reason: reason, at: now)
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
    ) async -> Bool {
        guard tellsOfEnds, let all = try? await sessions(ofSubject: subject, at: now) else { return false }
        let ended = all.filter { $0.createdAt < time }
        for session in ended { await reportEnd(of: session, as: .revoked, reason: reason, at: now) }
        return !ended.isEmpty
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
