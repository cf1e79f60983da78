import Tenants
import Time
import Verification

extension AccountHook {
    /// What a provider reports of somebody who does not sign in just then.
    struct Event: Sendable, Equatable {
        /// As the provider names it.
        var type: String
        var identity: Account.Identity
        /// The subject of the account that the identity signs in to; nil if it has none.
        var account: String?
        var email: String?
        var isPrivateEmail: Bool?
        var happenedAt: UnixTime
    }

    /// Tells the hook of an event. The body has the one member `event` beside those of every body, so that a hook that knows
    /// sign-ins alone does not take it for one. What it answers does not matter, but for the status.
    ///
    /// - Throws: ``AccountProblem/unavailable(_:)`` if the event is to be told again: the hook does not respond, or has
    ///   failed. A hook that refuses it has heard it.
    func tell(_ event: Event, at now: UnixTime) async throws(AccountProblem) {
        var body = opening
        body["event"] = .object(event.json)
        body["time"] = .wholeSeconds(now)
        let response = try await send(JSONWriter.bytes(of: body), at: now)
        guard !(200...299).contains(response.status) else { return }
        logger.warning(
            "the account hook does not take an event",
            metadata: ["event": "\(event.type)", "status": "\(response.status)"]
        )
        guard Self.isRefusal(response.status) else { throw Self.unavailable() }
    }
}

extension AccountHook.Event {
    fileprivate var json: JSONObject {
        var object: JSONObject = [
            "type": .string(type), "provider": .string(identity.provider.rawValue),
            "subject": .string(identity.subject),
        ]
        object["account"] = account.map(JSONValue.string)
        object["email"] = email.map(JSONValue.string)
        object["is_private_email"] = isPrivateEmail.map(JSONValue.bool)
        object["happened_at"] = .wholeSeconds(happenedAt)
        return object
    }
}

extension JSONValue {
    /// Unix seconds, rounded down.
    static func wholeSeconds(_ time: UnixTime) -> JSONValue {
        .number(JSONNumber(Int(time.seconds.rounded(.down))))
    }
}
