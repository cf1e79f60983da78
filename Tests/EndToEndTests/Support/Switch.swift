import Synchronization

/// A flag that a test sets and scripts read.
final class Switch: Sendable {
    private let state: Mutex<Bool>

    init(_ isOn: Bool) {
        state = Mutex(isOn)
    }

    var isOn: Bool { state.withLock { $0 } }

    func turn(on isOn: Bool) {
        state.withLock { $0 = isOn }
    }
}
