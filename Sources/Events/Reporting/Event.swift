public import Tenants
public import Time
public import Verification

/// Something that has happened to a person's session or account, or a request that was refused: what a webhook is told.
///
/// It has no token, and of the person the subject alone.
public struct Event: Sendable, Equatable {
    /// The `webhook-id`: whoever gets an event twice knows it by this.
    public let id: String
    public let type: EventType
    /// The tenant's name in tenants.yaml.
    public let tenant: String
    public let subject: String?
    /// The `sid` of the session.
    public let session: String?
    public let time: UnixTime
    /// Members of the body besides these, by the type.
    public let details: JSONObject

    /// - Parameters:
    ///   - once: What it is the only event of its type about, where it may be noticed twice; nil: this is noticed once.
    public init(
        _ type: EventType,
        tenant: String,
        subject: String? = nil,
        session: String? = nil,
        at time: UnixTime,
        once: String? = nil,
        details: JSONObject = [:]
    ) {
        self.id = once.map { Self.id(of: [type.rawValue, tenant, $0]) } ?? Self.newID()
        self.type = type
        self.tenant = tenant
        self.subject = subject
        self.session = session
        self.time = time
        self.details = details
    }

    /// The end of a session, which has one ID however often and by whomever it is noticed.
    ///
    /// - Parameter type: ``EventType/signedOut`` or ``EventType/revoked``.
    public static func end(
        of session: String,
        as type: EventType,
        subject: String?,
        tenant: String,
        at time: UnixTime,
        details: JSONObject
    ) -> Event {
        Event(
            id: Self.id(of: ["end", tenant, session]),
            type: type,
            tenant: tenant,
            subject: subject,
            session: session,
            time: time,
            details: details
        )
    }

    private init(
        id: String,
        type: EventType,
        tenant: String,
        subject: String?,
        session: String?,
        time: UnixTime,
        details: JSONObject
    ) {
        self.id = id
        self.type = type
        self.tenant = tenant
        self.subject = subject
        self.session = session
        self.time = time
        self.details = details
    }

    static func newID() -> String { "evt_" + Base64URL.encode(RandomBytes.make(16)) }

    private static func id(of parts: [String]) -> String {
        "evt_" + Base64URL.encode(Array(OutboxStream.digest(of: parts).prefix(16)))
    }
}

extension Event {
    /// What is sent.
    var body: JSONObject {
        var object: JSONObject = [
            "id": .string(id),
            "type": .string(type.rawValue),
            "time": .string(HTTPDate.rfc3339(time)),
            "tenant": .string(tenant),
        ]
        object["subject"] = subject.map(JSONValue.string)
        object["sid"] = session.map(JSONValue.string)
        for member in details.members where object[member.name] == nil { object[member.name] = member.value }
        return object
    }

    var message: OutboxMessage {
        OutboxMessage(
            id: id,
            content: .event(type),
            createdAt: time,
            body: String(decoding: JSONWriter.bytes(of: body), as: UTF8.self)
        )
    }

    var channel: OutboxChannel { type == .refused ? .refused : .events }

    /// Those with the same one are sent one after the other: a session's, or else a subject's. A stream is bounded, so that
    /// others have one each.
    var streamID: String {
        if let session { return OutboxStream.id(of: [tenant, "session", session]) }
        if let subject { return OutboxStream.id(of: [tenant, "subject", subject]) }
        guard type == .refused else { return OutboxStream.id(of: [tenant, "event", id]) }
        return OutboxStream.id(of: [tenant, type.rawValue, details["code"]?.string ?? ""])
    }
}
