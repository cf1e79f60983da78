import NIOCore
import Synchronization
import Tenants
import Verification

/// The event loops as those see them who have something to tell all of them. There are none before the gateway has
/// started, nor after it has stopped: what is told then is lost, for it is told again in whole or not needed.
final class EventLoops: Sendable {
    private let state = Mutex((workers: [WorkerHandle](), verifiers: [SlowVerifier]()))

    func set(_ workers: [WorkerHandle], _ verifiers: [SlowVerifier]) {
        state.withLock { $0 = (workers, verifiers) }
    }

    /// Puts an update on its way to every loop.
    func use(_ update: RevocationUpdate) -> [EventLoopFuture<Void>] {
        state.withLock { $0.workers }.map { handle in
            let worker = handle.worker
            return handle.eventLoop.submit { worker.value.use(update) }
        }
    }

    /// When this returns, nobody is let in by keys that are gone.
    func use(_ keys: KeySet?, from source: KeySource) async {
        let (workers, verifiers) = state.withLock { ($0.workers, $0.verifiers) }
        // Before the loops: what a loop has checked after its own change must be checked with the new keys.
        await withDiscardingTaskGroup { tasks in
            for verifier in verifiers { tasks.addTask { await verifier.use(keys, from: source) } }
        }
        for worker in workers { try? await worker.ask { $0.use(keys, from: source) } }
    }
}
