import Synchronization

/// Does `work`, but waits for it no longer than `limit`. Unfinished work is cancelled and abandoned: it may be stuck in
/// a disk operation that cannot be interrupted.
///
/// - Throws: The errors of `work`; ``StoreError/unavailable(_:)`` when the time is up or the caller's task is
///   cancelled.
func within<Result: Sendable>(
    _ limit: Duration,
    _ work: @escaping @Sendable () async throws(StoreError) -> Result
) async throws(StoreError) -> Result {
    let outcome = Outcome<Result>()
    let worker = Task {
        do throws(StoreError) {
            outcome.settle(.success(try await work()))
        } catch {
            outcome.settle(.failure(error))
        }
    }
    let timer = Task {
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        outcome.settle(.failure(.unavailable("not done within \(limit)")))
        worker.cancel()
    }
    let result = await withTaskCancellationHandler {
        await withCheckedContinuation { outcome.await($0) }
    } onCancel: {
        outcome.settle(.failure(.unavailable("the caller was cancelled")))
        worker.cancel()
    }
    timer.cancel()
    return try result.get()
}

/// The first result counts, whether it comes before or after the wait begins.
private final class Outcome<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Result<Value, StoreError>, Never>)
        case settled(Result<Value, StoreError>)
        case taken
    }

    private let state = Mutex(State.open)

    func settle(_ result: Result<Value, StoreError>) {
        let continuation: CheckedContinuation<Result<Value, StoreError>, Never>? = state.withLock { state in
            switch state {
            case .open: state = .settled(result)
            case .awaited(let continuation):
                state = .taken
                return continuation
            case .settled, .taken: break
            }
            return nil
        }
        continuation?.resume(returning: result)
    }

    func await(_ continuation: CheckedContinuation<Result<Value, StoreError>, Never>) {
        let result: Result<Value, StoreError>? = state.withLock { state in
            guard case .settled(let result) = state else {
                state = .awaited(continuation)
                return nil
            }
            state = .taken
            return result
        }
        if let result { continuation.resume(returning: result) }
    }
}
