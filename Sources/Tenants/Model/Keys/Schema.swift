/// The keys of tenants.yaml: a table for each of its maps, from `root` down.
enum Schema {
    static let hour = Duration.seconds(3600)
    static let day = hour * 24
    static let year = day * 365
    /// The range of timeouts: neither zero nor unlimited.
    static let timeout = Duration.milliseconds(1)...day
}
