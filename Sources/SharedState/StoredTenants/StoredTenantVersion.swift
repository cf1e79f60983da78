public import Tenants
public import Time
import Verification

/// One version of a stored tenant: who made it, when, and what it is, without the text.
public struct StoredTenantVersion: Sendable, Hashable {
    public enum Action: Sendable, Hashable {
        case put
        case delete
        /// The text is that of an earlier version.
        case rollback(to: Int)
    }

    /// From 1, without gaps.
    public var number: Int
    /// Random: of two versions with one number, in a store that was lost between them, it tells them apart.
    public var id: String
    public var at: UnixTime
    /// As in the audit.
    public var by: String
    public var action: Action
    /// Of the text; 0 for a deletion.
    public var bytes: Int

    public init(number: Int, id: String, at: UnixTime, by: String, action: Action, bytes: Int) {
        self.number = number
        self.id = id
        self.at = at
        self.by = by
        self.action = action
        self.bytes = bytes
    }

    /// The content of its `ETag`, without quotes.
    public var tag: String { Self.tag(number, id) }

    static func tag(_ number: Int, _ id: String) -> String { "\(number)-\(id)" }

    static func newID() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

// MARK: - In the store

extension StoredTenantVersion {
    var json: JSONObject {
        var json: JSONObject = [
            "number": .number(JSONNumber(number)), "id": .string(id), "by": .string(by),
            "at": JSONNumber(at.seconds).map(JSONValue.number) ?? .null, "bytes": .number(JSONNumber(bytes)),
        ]
        switch action {
        case .put: json["action"] = "put"
        case .delete: json["action"] = "delete"
        case .rollback(let number):
            json["action"] = "rollback"
            json["to"] = .number(JSONNumber(number))
        }
        return json
    }

    init?(json: JSONObject) {
        guard let number = json["number"]?.wholeNumber, number > 0, let id = json["id"]?.string,
            let by = json["by"]?.string, let at = json["at"]?.double, at.isFinite,
            let bytes = json["bytes"]?.wholeNumber
        else { return nil }
        switch json["action"]?.string {
        case "put": action = .put
        case "delete": action = .delete
        case "rollback":
            guard let to = json["to"]?.wholeNumber else { return nil }
            action = .rollback(to: to)
        default: return nil
        }
        self.number = number
        self.id = id
        self.by = by
        self.at = UnixTime(at)
        self.bytes = bytes
    }
}

/// What a list of the stored tenants says of each.
public struct StoredTenantHead: Sendable, Hashable {
    public var name: String
    public var number: Int
    public var id: String
    /// Of the text.
    public var bytes: Int
    /// Each with its path prefix, as ``StoredTenantWrite/routes``: no other stored tenant has one of them.
    public var routes: [String]
    /// What who wrote it may write.
    public var writer: TenantWriter

    public var tag: String { StoredTenantVersion.tag(number, id) }

    init(name: String, _ version: StoredTenantVersion, routes: [String], writer: TenantWriter) {
        self.name = name
        self.writer = writer
        number = version.number
        id = version.id
        bytes = version.bytes
        self.routes = routes
    }

    var json: [UInt8] {
        let object: JSONObject = [
            "number": .number(JSONNumber(number)), "id": .string(id), "bytes": .number(JSONNumber(bytes)),
            "routes": .array(routes.map(JSONValue.string)), "writer": writer.json,
        ]
        return JSONWriter.bytes(of: object)
    }

    init?(name: String, json: [UInt8]) {
        guard let object = try? JSONParser.parse(json).object, let number = object["number"]?.wholeNumber, number > 0,
            let id = object["id"]?.string, let bytes = object["bytes"]?.wholeNumber,
            let routes = object["routes"]?.array
        else { return nil }
        self.name = name
        self.number = number
        self.id = id
        self.bytes = bytes
        self.routes = routes.compactMap(\.string)
        writer = TenantWriter(json: object["writer"], of: name)
    }
}

/// The versions of one tenant in the store, the newest last.
struct StoredTenantHistory: Sendable {
    /// Maximum number of versions that are kept.
    static let limit = 20

    var versions: [StoredTenantVersion]

    /// - Returns: The versions that are dropped.
    mutating func add(_ version: StoredTenantVersion) -> [StoredTenantVersion] {
        versions.append(version)
        let dropped = Array(versions.dropLast(Self.limit))
        versions.removeFirst(dropped.count)
        return dropped
    }

    var json: [UInt8] {
        let object: JSONObject = ["versions": .array(versions.map { .object($0.json) })]
        return JSONWriter.bytes(of: object)
    }

    init(_ versions: [StoredTenantVersion] = []) {
        self.versions = versions
    }

    init?(json: [UInt8]) {
        guard let list = try? JSONParser.parse(json).object?["versions"]?.array else { return nil }
        versions = []
        for item in list {
            guard let version = item.object.flatMap(StoredTenantVersion.init(json:)) else { return nil }
            versions.append(version)
        }
    }
}

extension JSONValue {
    fileprivate var wholeNumber: Int? { double.flatMap { Int(exactly: $0) } }
}
