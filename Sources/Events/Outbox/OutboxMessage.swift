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

    let id: String
    let content: Content
    let createdAt: UnixTime
    /// JSON: of an event what is sent, of a logout whom it is about.
    let body: String
}

extension OutboxMessage {
    /// The `client_id` that a logout is for; nil for anything else.
    var client: String? {
        guard content == .logout else { return nil }
        return (try? JSONParser.parse(Array(body.utf8)))?.object?["client"]?.string
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
