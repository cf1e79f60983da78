import Synchronization

/// A count that scripts and tasks add to and a test looks at.
package final class Tally: Sendable {
    private let count = Mutex(0)

    package init() {}

    package var value: Int { count.withLock { $0 } }

    package func add(_ amount: Int) {
        count.withLock { $0 += amount }
    }

    /// Adds one.
    ///
    /// - Returns: The new count: 1 at first.
    package func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
