import Time
import Verification

/// A client has to be told that a session of its has ended, or all of a subject's (OpenID Connect Back-Channel Logout
/// 1.0).
public struct ClientLogout: Sendable, Equatable {
    public let tenant: String
    /// `client_id`.
    public let client: String
    public let subject: String
    /// The `sid`; nil for all of the subject's.
    public let session: String?

    public init(tenant: String, client: String, subject: String, session: String?) {
        self.tenant = tenant
        self.client = client
        self.subject = subject
        self.session = session
    }
}

extension ClientLogout {
    /// One for each, so that none waits for another, and none is there twice.
    var streamID: String { OutboxStream.id(of: [tenant, client, subject, session ?? ""]) }

    func message(at now: UnixTime) -> OutboxMessage {
        var object: JSONObject = ["client": .string(client), "sub": .string(subject)]
        object["sid"] = session.map(JSONValue.string)
        return OutboxMessage(
            id: streamID,
            content: .logout,
            createdAt: now,
            body: String(decoding: JSONWriter.bytes(of: object), as: UTF8.self)
        )
    }

    /// - Returns: Nil for anything but what ``message(at:)`` gives.
    init?(_ message: OutboxMessage, tenant: String) {
        guard message.content == .logout, let object = (try? JSONParser.parse(Array(message.body.utf8)))?.object,
            let client = object["client"]?.string, let subject = object["sub"]?.string
        else { return nil }
        self.init(tenant: tenant, client: client, subject: subject, session: object["sid"]?.string)
    }
}
