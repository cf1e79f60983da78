import Synchronization

/// Wakes waiting tasks when something has happened. Read ``count`` before checking: an event between the check and the
/// wait then ends the wait at once.
final class EventSignal: Sendable {
    private enum Waiter {
        case coming
        case parked(CheckedContinuation<Void, Never>)
        /// The time was up, or the task cancelled, before it was parked.
        case late
    }

    private struct State {
        var count: UInt64 = 0
        var notifiedAt: ContinuousClock.Instant?
        var lastWaiter = 0
        var waiters: [Int: Waiter] = [:]
    }

    private let state = Mutex(State())

    /// How often it was notified.
    var count: UInt64 { state.withLock { $0.count } }

    func wasNotified(within duration: Duration) -> Bool {
        state.withLock { $0.notifiedAt }.map { ContinuousClock.now - $0 < duration } ?? false
    }

    func notify() {
        let woken = state.withLock { state in
            state.count += 1
            state.notifiedAt = .now
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for case .parked(let continuation) in woken { continuation.resume() }
    }

    /// Returns once it was notified more than `count` times, `duration` is over, or the task is cancelled.
    func wait(past count: UInt64, for duration: Duration) async {
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
            await withCheckedContinuation { park(waiter, past: count, $0) }
        } onCancel: {
            wake(waiter)
        }
        timer.cancel()
    }

    private func park(_ waiter: Int, past count: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
        let isParked = state.withLock { state in
            guard state.count == count, case .coming = state.waiters[waiter] else {
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
