import Time

/// Decides which losses are logged: while there are many of one kind, a line says how many, once in a while. A value
/// without I/O.
struct LossLog: Sendable {
    /// Seconds between two lines of one kind.
    private static let quiet = 10.0

    /// The last line of each kind, and what was lost since. There are as many kinds as reasons in the source, or as
    /// tenants.
    private var kinds: [String: (last: UnixTime, count: Int)] = [:]

    /// - Returns: How many were lost that no line tells of yet; nil if that has to wait.
    mutating func add(_ count: Int, _ reason: String, at now: UnixTime) -> Int? {
        let known = kinds[reason]
        let lost = (known?.count ?? 0) + count
        if let known, now < known.last + Self.quiet, known.last <= now {
            kinds[reason] = (known.last, lost)
            return nil
        }
        kinds[reason] = (now, 0)
        return lost
    }
}
