package import Authorization
package import NIOCore
import Time

/// Asks for the decision on a request that the gateway does not forward: for another proxy, or for an explanation. It
/// uses the same functions as every request.
package final class DecisionQuery: SlowStepClient {
    package let id: UInt64 = 0
    package let decisionContext: DecisionContext
    private let worker: Worker
    private let bytes: ByteBuffer
    private let received = ReceivedRequest()
    private var state: State

    private enum State {
        /// - Parameter done: Receives the decision.
        case waiting(done: (Authorizer.Decision, ReceivedRequest?) -> Void)
        case answered
    }

    /// - Parameters:
    ///   - bytes: The head of the request as HTTP/1.1, with its empty line.
    ///   - context: With the peer, which may be a trusted proxy, and the slow steps that may be taken. A refresh is
    ///     removed from them: there is no client here to deliver its tokens to.
    ///   - done: Called once, with the request in question; nil if the bytes are no valid head. The decision is never
    ///     pending. Called before ``begin()`` returns if nothing has to be waited for.
    package init(
        _ bytes: ByteBuffer,
        _ decisionContext: DecisionContext,
        worker: Worker,
        done: @escaping (Authorizer.Decision, ReceivedRequest?) -> Void
    ) {
        self.bytes = bytes
        self.decisionContext = decisionContext
        self.worker = worker
        state = .waiting(done: done)
        decisionContext.steps.beginWithoutRefresh()
    }

    package func begin() { decide() }

    package func stepEnded() {
        guard decisionContext.steps.ended(generation: worker.serving.generation) else { return }
        decide()
    }

    private func decide() {
        let bytes = self.bytes
        let head = received.head
        switch received.parse(bytes, worker.parser) {
        case .complete where head.length == bytes.readableBytes: break
        case .complete, .incomplete: return finishMalformed(.malformedQuery)
        case .refused(let violation): return finishMalformed(Refusal(violation))
        }
        let span = bytes.readableBytesUInt8Span
        decisionContext.explanation?.noteAccepted(head, span)
        let now = worker.unixTime(at: worker.now())
        let decision = worker.serving.authorizer.authorize(received, span, decisionContext, at: now)
        if case .pending(let step, _) = decision { perform(step) } else { finish(decision, received) }
    }

    private func finishMalformed(_ refusal: Refusal) {
        decisionContext.explanation?.noteMalformed(refusal)
        finish(.refused(refusal, nil), nil)
    }

    private func perform(_ step: SlowStep) {
        decisionContext.steps.took(AllowedSteps(step), generation: worker.serving.generation)
        guard !worker.perform(step, for: self) else { return }
        decisionContext.steps.hadNoCapacity()
        decide()
    }

    private func finish(_ decision: Authorizer.Decision, _ request: ReceivedRequest?) {
        guard case .waiting(let done) = state else { return }
        state = .answered
        done(decision, request)
    }
}
