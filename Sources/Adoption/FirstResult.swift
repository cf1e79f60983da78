import Synchronization

/// The first of several results, for one who waits for it: whether it comes before or after the wait begins.
final class FirstResult<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case settled(Value)
        case taken
    }

    private let state = Mutex(State.open)

    /// Whether a result is too late.
    var isSettled: Bool {
        state.withLock { state in
            switch state {
            case .open, .awaited: false
            case .settled, .taken: true
            }
        }
    }

    /// - Returns: Whether it is the first.
    func settle(_ value: Value) -> Bool {
        let (isFirst, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Value, Never>?) in
            switch state {
            case .open:
                state = .settled(value)
                return (true, nil)
            case .awaited(let continuation):
                state = .taken
                return (true, continuation)
            case .settled, .taken: return (false, nil)
            }
        }
        continuation?.resume(returning: value)
        return isFirst
    }

    /// To be called once.
    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let known: Value? = state.withLock { state in
                guard case .settled(let value) = state else {
                    state = .awaited(continuation)
                    return nil
                }
                state = .taken
                return value
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
