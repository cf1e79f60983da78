import Authorization
import NIOCore
import Proxy
import SharedState
import Synchronization
import Tenants
import Time
import Verification

/// The event loops, for services that notify all of them. There are none before the gateway has started, nor after it
/// has stopped: notifications are lost then, but are repeated in full or not needed.
final class EventLoops: Sendable {
    private let state = Mutex((workers: [WorkerHandle](), verifiers: [SlowVerifier]()))
    private let turns = Atomic<Int>(0)

    func set(_ workers: [WorkerHandle], _ verifiers: [SlowVerifier]) {
        state.withLock { $0 = (workers, verifiers) }
    }

    /// The loops in turn, for work that any of them can do.
    func next() -> WorkerHandle? {
        let workers = state.withLock { $0.workers }
        return workers.isEmpty ? nil : workers[turn(of: workers.count)]
    }

    /// Verifies a token that came from a refresh.
    func verify(
        _ token: [UInt8],
        ofTenant tenant: TenantIndex,
        at now: UnixTime
    ) async -> Result<Principal, VerificationFailure> {
        let verifiers = state.withLock { $0.verifiers }
        guard !verifiers.isEmpty else { return .failure(.keysNotLoaded) }
        return await verifiers[turn(of: verifiers.count)].verify(token, ofTenant: tenant, at: now)
    }

    /// Replaces the tenants whose tokens are verified off the workers' loops.
    func verify(for snapshot: ConfigurationSnapshot) async {
        for verifier in state.withLock({ $0.verifiers }) { await verifier.adopt(snapshot) }
    }

    private func turn(of count: Int) -> Int {
        let turn = turns.wrappingAdd(1, ordering: .relaxed).oldValue
        return Int(UInt(bitPattern: turn) % UInt(count))
    }

    /// Sends an update to every loop.
    func use(_ update: RevocationUpdate) -> [EventLoopFuture<Void>] {
        state.withLock { $0.workers }.map { handle in
            let worker = handle.worker
            return handle.eventLoop.submit { worker.value.use(update) }
        }
    }

    /// The decisions of all loops so far, by tenant and outcome.
    func decisions() async -> [UInt64] {
        var sum: [UInt64] = []
        for worker in state.withLock({ $0.workers }) {
            guard let counts = try? await worker.submit({ $0.currentCounters().decisions }) else { continue }
            if sum.count < counts.count { sum += Array(repeating: 0, count: counts.count - sum.count) }
            for index in counts.indices { sum[index] &+= counts[index] }
        }
        return sum
    }

    /// When this returns, removed keys are no longer accepted anywhere.
    func use(_ keys: KeySet?, from source: KeySource) async {
        let (workers, verifiers) = state.withLock { ($0.workers, $0.verifiers) }
        // Before the loops: a check that a loop starts after its own change must use the new keys.
        await withDiscardingTaskGroup { tasks in
            for verifier in verifiers { tasks.addTask { await verifier.use(keys, from: source) } }
        }
        for worker in workers { try? await worker.submit { $0.use(keys, from: source) } }
    }
}
