/// The names of the keys in Redis besides values and leases.
enum RedisKeys {
    static let changes = "gatehouse:changes"
    static let announcements = "gatehouse:announcements"
    /// The number of changes, starting at a number taken from the clock; see ``RedisChangeCount``.
    static let changeCount = "gatehouse:changes:count"
    static let fencingToken = StoreKey(tenant: nil, kind: "lease", name: "fencing-token").text

    /// A hash of the entries of a collection.
    static func entries(_ collection: StoreCollection) -> String { "gatehouse:fleet:collection:\(collection.name)" }

    /// A sorted set of their names, all with one score, so that Redis keeps them in the order of their bytes.
    static func entryNames(_ collection: StoreCollection) -> String { "\(entries(collection)):names" }

    /// A hash of all records of a tenant; see ``RevocationRecordCodec``.
    static func revocations(_ tenant: String) -> String { "gatehouse:{\(tenant)}:revocations" }

    /// A sorted set of the digests that expire, by their expiry.
    static func expiry(_ tenant: String) -> String { "gatehouse:{\(tenant)}:revocations:expiry" }
}
