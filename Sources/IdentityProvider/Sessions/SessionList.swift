import Time
import Verification

/// A subject's sessions at a tenant, the oldest first. Uses of a session are not recorded, so it is written only at
/// sign-ins and ends; whether a session is live is in its own record.
struct SessionList: Sendable, Equatable {
    struct Entry: Sendable, Equatable {
        let id: String
        /// The time of the sign-in.
        let createdAt: UnixTime
    }

    /// The maximum number.
    static let most = 256
    /// How many remain after a cleanup, whose cost is thus spread over many sign-ins.
    static let kept = 224
    private static let version = 1.0

    private(set) var entries: [Entry] = []

    mutating func add(_ session: IssuerSession) {
        remove([session.id])
        // Clocks of instances differ: it is not always the last.
        let index = entries.firstIndex { $0.createdAt > session.createdAt } ?? entries.endIndex
        entries.insert(Entry(id: session.id, createdAt: session.createdAt), at: index)
    }

    mutating func remove(_ ids: Set<String>) {
        entries.removeAll { ids.contains($0.id) }
    }

    /// Drops sessions that began before a time, all of which have ended.
    mutating func removeAll(begunBefore time: UnixTime) {
        entries.removeAll { $0.createdAt < time }
    }
}

// MARK: - In the store

extension SessionList {
    var json: [UInt8] {
        let object: JSONObject = [
            "v": 1,
            "sessions": .array(
                entries.map { .object(["sid": .string($0.id), "created": .time($0.createdAt)]) }
            ),
        ]
        return JSONWriter.bytes(of: object)
    }

    /// - Returns: Nil for anything but what ``json`` gives.
    init?(json: [UInt8]) {
        guard let object = try? JSONParser.parse(json).object, object["v"]?.double == Self.version,
            let elements = object["sessions"]?.array
        else { return nil }
        entries = elements.compactMap { element in
            guard let object = element.object, let id = object["sid"]?.string,
                let createdAt = object["created"]?.double
            else { return nil }
            return Entry(id: id, createdAt: UnixTime(createdAt))
        }
        guard entries.count == elements.count else { return nil }
    }
}
