import Synchronization

/// Wakes waiting tasks when something has happened. Read ``rings`` before checking: an event between the check and the
/// wait then ends the wait at once.
final class EventSignal: Sendable {
    private enum Waiter {
        case coming
        case parked(CheckedContinuation<Void, Never>)
        /// The time was up, or the task cancelled, before it was parked.
        case late
    }

    private struct State {
        var rings: UInt64 = 0
        var rungAt: ContinuousClock.Instant?
        var lastWaiter = 0
        var waiters: [Int: Waiter] = [:]
    }

    private let state = Mutex(State())

    /// How often it was rung.
    var rings: UInt64 { state.withLock { $0.rings } }

    func hasRung(within duration: Duration) -> Bool {
        state.withLock { $0.rungAt }.map { ContinuousClock.now - $0 < duration } ?? false
    }

    func ring() {
        let woken = state.withLock { state in
            state.rings += 1
            state.rungAt = .now
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for case .parked(let continuation) in woken { continuation.resume() }
    }

    /// Returns once it has rung more often than `rings`, `duration` is over, or the task is cancelled.
    func wait(past rings: UInt64, for duration: Duration) async {
        guard duration > .zero else { return }
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = .coming
            return state.lastWaiter
        }
        let timer = Task {
            try? await Task.sleep(for: duration)
            wake(waiter)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { park(waiter, past: rings, $0) }
        } onCancel: {
            wake(waiter)
        }
        timer.cancel()
    }

    private func park(_ waiter: Int, past rings: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
        let isParked = state.withLock { state in
            guard state.rings == rings, case .coming = state.waiters[waiter] else {
                state.waiters[waiter] = nil
                return false
            }
            state.waiters[waiter] = .parked(continuation)
            return true
        }
        if !isParked { continuation.resume() }
    }

    private func wake(_ waiter: Int) {
        let woken: CheckedContinuation<Void, Never>? = state.withLock { state in
            switch state.waiters[waiter] {
            case .coming: state.waiters[waiter] = .late
            case .parked(let continuation):
                state.waiters[waiter] = nil
                return continuation
            case .late, nil: break
            }
            return nil
        }
        woken?.resume()
    }
}
