package import Authorization
package import NIOCore
import Time

/// Asks for the decision on a request that the gateway does not forward: for another proxy, or for an explanation. It is
/// decided by the same functions as every request.
package final class Inquiry: SlowStepClient {
    package let id: UInt64 = 0
    package let circumstances: Circumstances
    private let worker: Worker
    private let bytes: ByteBuffer
    private let received = ReceivedRequest()
    private let initiallyAllowed: AllowedSteps
    /// The generation of the configuration that asked for the step under way.
    private var stepGeneration: UInt64 = 0
    private var done: ((Authorizer.Decision, ReceivedRequest?) -> Void)?

    /// - Parameters:
    ///   - bytes: The head of the request in the form of HTTP/1.1, with its empty line.
    ///   - circumstances: With the peer whose word about the client is believed or not, and the slow steps that may be
    ///     taken. A refresh is taken out of them: there is no client here that its tokens could be given to.
    ///   - done: Told once, with the request that was asked about; nil where the bytes are no head. Never told that the
    ///     decision is pending. Before ``begin()`` returns where nothing has to be waited for.
    package init(
        _ bytes: ByteBuffer,
        _ circumstances: Circumstances,
        worker: Worker,
        done: @escaping (Authorizer.Decision, ReceivedRequest?) -> Void
    ) {
        self.bytes = bytes
        self.circumstances = circumstances
        self.worker = worker
        self.done = done
        initiallyAllowed = circumstances.steps.allowed.subtracting(.refresh)
        circumstances.steps.allowed = initiallyAllowed
    }

    package func begin() { decide() }

    package func stepEnded() {
        if stepGeneration != worker.serving.generation {
            circumstances.steps.allowed = initiallyAllowed
            circumstances.steps.askAnew()
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
        circumstances.explanation?.noteAccepted(head, span)
        let now = worker.unixTime(at: worker.now())
        let decision = worker.serving.authorizer.authorize(received, span, circumstances, at: now)
        if case .pending(let step, _) = decision { perform(step) } else { finish(decision, received) }
    }

    private func finishMalformed(_ refusal: Refusal) {
        circumstances.explanation?.noteMalformed(refusal)
        finish(.refused(refusal, nil), nil)
    }

    private func perform(_ step: SlowStep) {
        circumstances.steps.allowed = circumstances.steps.allowed.after(step)
        stepGeneration = worker.serving.generation
        if worker.perform(step, for: self) { return }
        circumstances.steps.withoutRoom.formUnion(AllowedSteps(step))
        decide()
    }

    private func finish(_ decision: Authorizer.Decision, _ request: ReceivedRequest?) {
        let done = self.done
        self.done = nil
        done?(decision, request)
    }
}
