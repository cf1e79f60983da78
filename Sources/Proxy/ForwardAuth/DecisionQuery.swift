package import Authorization
package import NIOCore
import Time

/// Asks for the decision on a request that the gateway does not forward: for another proxy, or for an explanation. It is
/// decided by the same functions as every request.
package final class DecisionQuery: SlowStepClient {
    package let id: UInt64 = 0
    package let decisionContext: DecisionContext
    private let worker: Worker
    private let bytes: ByteBuffer
    private let received = ReceivedRequest()
    private var state: State

    private enum State {
        /// - Parameter done: Takes the decision.
        case asked(done: (Authorizer.Decision, ReceivedRequest?) -> Void)
        case answered
    }

    /// - Parameters:
    ///   - bytes: The head of the request in the form of HTTP/1.1, with its empty line.
    ///   - context: With the peer whose word about the client is believed or not, and the slow steps that may be
    ///     taken. A refresh is taken out of them: there is no client here that its tokens could be given to.
    ///   - done: Told once, with the request that was asked about; nil where the bytes are no head. Never told that the
    ///     decision is pending. Before ``begin()`` returns where nothing has to be waited for.
    package init(
        _ bytes: ByteBuffer,
        _ decisionContext: DecisionContext,
        worker: Worker,
        done: @escaping (Authorizer.Decision, ReceivedRequest?) -> Void
    ) {
        self.bytes = bytes
        self.decisionContext = decisionContext
        self.worker = worker
        state = .asked(done: done)
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
        case .complete, .incomplete: return finishMalformed(.malformedQuestion)
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
        guard case .asked(let done) = state else { return }
        state = .answered
        done(decision, request)
    }
}
