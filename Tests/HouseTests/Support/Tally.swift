import Synchronization

/// A count that a script adds to and a test looks at.
final class Tally: Sendable {
    private let state = Mutex(0)

    var value: Int { state.withLock { $0 } }

    func add(_ amount: Int) {
        state.withLock { $0 += amount }
    }
}
