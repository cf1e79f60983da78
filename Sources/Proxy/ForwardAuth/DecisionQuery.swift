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
    private let initiallyAllowed: AllowedSteps
    /// The generation of the configuration that asked for the step under way.
    private var stepGeneration: UInt64 = 0
    private var done: ((Authorizer.Decision, ReceivedRequest?) -> Void)?

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
        self.done = done
        initiallyAllowed = decisionContext.steps.allowed.subtracting(.refresh)
        decisionContext.steps.allowed = initiallyAllowed
    }

    package func begin() { decide() }

    package func stepEnded() {
        if stepGeneration != worker.serving.generation {
            decisionContext.steps.allowed = initiallyAllowed
            decisionContext.steps.askAnew()
        }
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
        decisionContext.steps.allowed = decisionContext.steps.allowed.after(step)
        stepGeneration = worker.serving.generation
        if worker.perform(step, for: self) { return }
        decisionContext.steps.withoutRoom.formUnion(AllowedSteps(step))
        decide()
    }

    private func finish(_ decision: Authorizer.Decision, _ request: ReceivedRequest?) {
        let done = self.done
        self.done = nil
        done?(decision, request)
    }
}
