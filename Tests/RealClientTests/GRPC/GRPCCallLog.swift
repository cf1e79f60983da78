import GRPCCore
import Synchronization

/// What the echo server has seen, in order.
final class GRPCCallLog: Sendable {
    struct Call: Sendable {
        /// As in ``EchoMethod``, without the service.
        var method: String
        /// Every field of the request, pseudo-header fields too.
        var metadata: Metadata
    }

    private let seen = Mutex<[Call]>([])
    private let cancelledCalls = AsyncStream.makeStream(of: String.self)

    var calls: [Call] { seen.withLock { $0 } }

    /// The method of the next call that its client gave up. Nil only when the waiting task is cancelled.
    func nextCancellation() async -> String? {
        await cancelledCalls.stream.first { _ in true }
    }

    func note(_ call: Call) {
        seen.withLock { $0.append(call) }
    }

    func noteCancellation(of method: String) {
        cancelledCalls.continuation.yield(method)
    }
}
