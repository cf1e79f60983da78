import NIOCore
import SharedState

/// Work done for an exchange off the loop, or later. Only the request that it was for gets the outcome: its client may be
/// gone by then, and the exchange serve another one.
extension Worker {
    /// Runs work off the loop.
    ///
    /// - Parameters:
    ///   - ended: Called on the loop in any case, before `then`.
    ///   - then: Called on the loop if the exchange still has the same request.
    func run<Outcome: Sendable>(
        for exchange: RequestExchange,
        _ work: @escaping @Sendable (ControlPlane) async -> Outcome,
        ended: @escaping () -> Void = {},
        then: @escaping (RequestExchange, Outcome) -> Void
    ) {
        let pending = NIOLoopBound((PendingExchange(exchange), ended, then), eventLoop: eventLoop)
        Task { [eventLoop, controlPlane] in
            let outcome = await work(controlPlane)
            eventLoop.execute {
                let (pending, ended, then) = pending.value
                ended()
                pending.resume { then($0, outcome) }
            }
        }
    }

    /// Calls `then` at the end of the loop's turn if the exchange still has the same request.
    func later(for exchange: RequestExchange, _ then: @escaping (RequestExchange) -> Void) {
        let pending = NIOLoopBound((PendingExchange(exchange), then), eventLoop: eventLoop)
        eventLoop.execute {
            let (pending, then) = pending.value
            pending.resume(then)
        }
    }
}

/// An exchange with the identifier of the request that waits.
private struct PendingExchange {
    private let exchange: RequestExchange
    private let id: UInt64

    init(_ exchange: RequestExchange) {
        self.exchange = exchange
        id = exchange.id
    }

    func resume(_ body: (RequestExchange) -> Void) {
        if exchange.id == id { body(exchange) }
    }
}
