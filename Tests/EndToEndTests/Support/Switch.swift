import Synchronization

/// Something that a test turns on or off while scripts look at it.
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
