import Synchronization

/// A value that tests wait on, instead of waiting for a time.
package final class Awaited<Value: Sendable>: Sendable {
    private typealias Waiter = (isReached: @Sendable (Value) -> Bool, continuation: CheckedContinuation<Void, Never>)

    private struct State {
        var value: Value
        var nextWaiter = 0
        var waiters: [Int: Waiter] = [:]
    }

    private let state: Mutex<State>

    package init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    package var value: Value { state.withLock { $0.value } }

    package func update<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        let (result, reached) = state.withLock { state in
            let result = change(&state.value)
            let reached = state.waiters.filter { $0.value.isReached(state.value) }
            for name in reached.keys { state.waiters[name] = nil }
            return (result, reached.values.map(\.continuation))
        }
        for continuation in reached { continuation.resume() }
        return result
    }

    /// Returns at once if the value is so already, and when the task is cancelled, as it is at a test's time limit.
    package func wait(until isReached: @escaping @Sendable (Value) -> Bool) async {
        let name = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !isReached(state.value), !Task.isCancelled else { return true }
                    state.waiters[name] = (isReached, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: name)?.continuation }?.resume()
        }
    }
}
