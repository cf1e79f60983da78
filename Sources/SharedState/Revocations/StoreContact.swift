import Time

/// When the store was last known to have nothing newer, and what the event loops know of that.
struct StoreContact {
    /// Nil: never.
    private(set) var last: MonotonicTime?
    /// The last one that the loops have got; nil: none.
    private var distributed: MonotonicTime?

    /// The store had nothing newer at this time.
    mutating func made(at time: MonotonicTime) { last = time }

    /// The loops get the last one now.
    mutating func isDistributed() { distributed = last }

    /// Whether the loops should get the last one, though nothing else has changed.
    ///
    /// - Parameter quiet: The nanoseconds between two updates of theirs.
    func isDue(quiet: UInt64) -> Bool {
        guard let last else { return false }
        guard let distributed else { return true }
        return last - min(distributed, last) >= max(1, quiet)
    }
}
