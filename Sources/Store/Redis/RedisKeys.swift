/// The names of what is in Redis beside values and leases.
enum RedisKeys {
    static let changes = "gatehouse:changes"
    static let announcements = "gatehouse:announcements"
    static let fencingToken = StoreKey(tenant: nil, kind: "lease", name: "fencing-token").text

    /// A hash of all records of a tenant; see ``RevocationLine``.
    static func revocations(_ tenant: String) -> String { "gatehouse:{\(tenant)}:revocations" }

    /// A sorted set of the digests that expire, by when they do.
    static func expiry(_ tenant: String) -> String { "gatehouse:{\(tenant)}:revocations:expiry" }
}
