import Tenants
import Time
import Verification

/// Something to be sent until its receiver has answered.
struct OutboxMessage: Sendable, Equatable {
    enum Content: Sendable, Hashable {
        case event(EventType)
        case logout

        /// For metrics and the store.
        var label: String {
            switch self {
            case .event(let type): type.rawValue
            case .logout: "logout"
            }
        }

        init?(label: String) {
            if label == "logout" {
                self = .logout
            } else if let type = EventType(rawValue: label) {
                self = .event(type)
            } else {
                return nil
            }
        }
    }

    /// What goes first where there is no room, from the first to the last.
    enum Importance: Int, Sendable, Comparable, CaseIterable {
        /// A sample of requests.
        case refused
        /// The next one says as much.
        case refreshed
        case other
        /// The end of a session or an account: whoever is not told keeps somebody signed in.
        case end

        static func < (left: Importance, right: Importance) -> Bool { left.rawValue < right.rawValue }
    }

    let id: String
    let content: Content
    let createdAt: UnixTime
    /// JSON: of an event what is sent, of a logout whom it is about.
    let body: String
}

extension EventType {
    var importance: OutboxMessage.Importance {
        switch self {
        case .refused: .refused
        case .refreshed: .refreshed
        case .signedIn, .linked: .other
        case .signedOut, .revoked, .deleted: .end
        }
    }
}

extension OutboxMessage {
    /// Bytes that it takes in the store besides its text, about.
    private static let overhead = 64

    /// Bytes, about.
    var size: Int { id.utf8.count + body.utf8.count + Self.overhead }

    /// The `client_id` that a logout is for; nil for anything else.
    var client: String? {
        guard content == .logout else { return nil }
        return (try? JSONParser.parse(Array(body.utf8)))?.object?["client"]?.string
    }

    var importance: Importance {
        switch content {
        case .event(let type): type.importance
        case .logout: .end
        }
    }

    /// In the store.
    var json: JSONObject {
        [
            "id": .string(id), "type": .string(content.label), "created": .time(createdAt), "body": .string(body),
        ]
    }

    /// - Returns: Nil for anything but what ``json`` gives.
    init?(json object: JSONObject) {
        guard let id = object["id"]?.string, let content = object["type"]?.string.flatMap(Content.init(label:)),
            let createdAt = object["created"]?.time, let body = object["body"]?.string
        else { return nil }
        self.init(id: id, content: content, createdAt: createdAt, body: body)
    }
}
