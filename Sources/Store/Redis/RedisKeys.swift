/// The names of what is in Redis beside values and leases.
enum RedisKeys {
    static let changes = "gatehouse:changes"
    static let announcements = "gatehouse:announcements"
    /// How many changes there were, from a first number that is taken from the clock; see ``RedisTally``.
    static let changeCount = "gatehouse:changes:count"
    static let fencingToken = StoreKey(tenant: nil, kind: "lease", name: "fencing-token").text

    /// A hash of all records of a tenant; see ``RevocationRecordCodec``.
    static func revocations(_ tenant: String) -> String { "gatehouse:{\(tenant)}:revocations" }

    /// A sorted set of the digests that expire, by when they do.
    static func expiry(_ tenant: String) -> String { "gatehouse:{\(tenant)}:revocations:expiry" }
}
