/// What tenants.yaml may hold: a table of keys for each of its maps, from `root` down.
enum Schema {
    static let hour = Duration.seconds(3600)
    static let day = hour * 24
    static let year = day * 365
    /// Timeouts that must be something and cannot be forever.
    static let timeout = Duration.milliseconds(1)...day
}
