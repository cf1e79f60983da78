import Time
import Verification

/// The sessions that a subject has begun at a tenant, the earliest first. Uses of a session are not in it, so that it
/// is written at sign-ins and ends alone; whether a session goes on is said by its own record.
struct SessionList: Sendable, Equatable {
    struct Entry: Sendable, Equatable {
        let id: String
        /// The time of the sign-in.
        let createdAt: UnixTime
    }

    /// How many there should be at most.
    static let most = 256
    /// How many are left when there are too many: looking at all of them then pays for a good many sign-ins.
    static let kept = 224
    private static let version = 1.0

    private(set) var entries: [Entry] = []

    mutating func add(_ session: IssuerSession) {
        remove([session.id])
        // Instances' clocks differ: it is not always the last.
        let place = entries.firstIndex { $0.createdAt > session.createdAt } ?? entries.endIndex
        entries.insert(Entry(id: session.id, createdAt: session.createdAt), at: place)
    }

    mutating func remove(_ ids: Set<String>) {
        entries.removeAll { ids.contains($0.id) }
    }

    /// Drops those that began so long ago that none of them goes on.
    mutating func removeAll(begunBefore time: UnixTime) {
        entries.removeAll { $0.createdAt < time }
    }
}

// MARK: - As the store keeps it

extension SessionList {
    var json: [UInt8] {
        let object: JSONObject = [
            "v": Self.number(Self.version),
            "sessions": .array(
                entries.map { .object(["sid": .string($0.id), "created": Self.number($0.createdAt.seconds)]) }
            ),
        ]
        return JSONWriter.bytes(of: object)
    }

    /// Null, which does not read back, for what is no number.
    private static func number(_ value: Double) -> JSONValue { JSONNumber(value).map(JSONValue.number) ?? .null }

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
