import Issuing
import NIOCore

/// A question about a request that is not ours to forward: another proxy asks, or a person. The request goes the way of
/// all requests up to the decision, by the same functions.
final class Inquiry: SlowStepClient {
    /// What the request would meet.
    enum Verdict {
        case granted(Grant)
        /// - Parameter tenant: Nil where none was found.
        case refused(Refusal, tenant: TenantRuntime?)
        /// A browser's question, which whoever asks has to answer.
        case preflight(Preflight, tenant: TenantRuntime)
        /// The gateway answers it itself, or checks it before the backend does.
        case endpoint(Endpoint, tenant: TenantRuntime)
    }

    let id: UInt64 = 0
    let circumstances: Circumstances
    private let worker: Worker
    private let bytes: ByteBuffer
    private let received = ReceivedRequest()
    private let forwardsAsReceived: Bool
    private let answersPreflights: Bool
    private let initiallyAllowed: AllowedSteps
    private var allowed: AllowedSteps
    /// The generation of the configuration that asked for the step under way.
    private var stepGeneration: UInt64 = 0
    private var done: ((Verdict, ReceivedRequest?) -> Void)?

    /// - Parameters:
    ///   - bytes: The head of the request in the form of HTTP/1.1, with its empty line.
    ///   - circumstances: With the peer whose word about the client is believed or not.
    ///   - allowing: The slow steps that may be taken; never a refresh, whose new tokens nobody could be given.
    ///   - forwardsAsReceived: Whether the backend would get the path as it came: then one that the gateway would send on
    ///     in another form is ambiguous.
    ///   - answersPreflights: Whether a browser's question can be answered where this one is; else it is a request like
    ///     others, since it would reach the backend.
    ///   - done: Told once, with the request that was asked about; nil where the bytes are no head. Before ``begin()``
    ///     returns where nothing has to be waited for.
    init(
        _ bytes: ByteBuffer,
        _ circumstances: Circumstances,
        allowing: AllowedSteps = .all,
        forwardsAsReceived: Bool = false,
        answersPreflights: Bool = true,
        worker: Worker,
        done: @escaping (Verdict, ReceivedRequest?) -> Void
    ) {
        self.bytes = bytes
        self.circumstances = circumstances
        self.worker = worker
        self.done = done
        self.forwardsAsReceived = forwardsAsReceived
        self.answersPreflights = answersPreflights
        allowed = allowing
        initiallyAllowed = allowing
    }

    func begin() { decide(isFirst: true) }

    func stepEnded() {
        if stepGeneration != worker.serving.generation {
            // Another configuration has come into force, and asks by itself.
            allowed = initiallyAllowed
            circumstances.introspected = nil
            circumstances.withoutRoom = []
        }
        decide(isFirst: false)
    }

    private func decide(isFirst: Bool) {
        let bytes = self.bytes
        let head = received.head
        switch received.parse(bytes, worker.parser) {
        case .complete where head.length == bytes.readableBytes: break
        case .complete, .incomplete: return finishMalformed(.malformedQuestion)
        case .refused(let violation): return finishMalformed(Refusal(violation))
        }
        let span = bytes.readableBytesUInt8Span
        let explanation = circumstances.explanation
        explanation?.noteAccepted(head, span)
        let serving = worker.serving
        switch serving.router.route(received, span) {
        case .refused(let refusal, let tenant):
            explanation?.noteUnrouted(refusal, host: received.host, tenant: tenant)
            finish(.refused(refusal, tenant: tenant), received)
        case .routed(let request):
            explanation?.noteRoute(request, span)
            let now = worker.unixTime(at: worker.now())
            if isFirst,
                let answer = serving.decision.admit(
                    request,
                    head,
                    span,
                    circumstances,
                    answersPreflights: answersPreflights,
                    at: now
                )
            {
                return conclude(answer, request)
            }
            if let refusal = refusalOfPath(request, span) {
                return finish(.refused(refusal, tenant: request.tenant), received)
            }
            if let endpoint = endpoint(request, span) {
                return finish(.endpoint(endpoint, tenant: request.tenant), received)
            }
            let answer = serving.decision.decide(request, head, span, circumstances, allowing: allowed, at: now)
            conclude(answer, request)
        }
    }

    private func finishMalformed(_ refusal: Refusal) {
        circumstances.explanation?.noteMalformed(refusal)
        finish(.refused(refusal, tenant: nil), nil)
    }

    private func conclude(_ decision: AccessDecision.Answer, _ request: RoutedRequest) {
        switch decision {
        case .granted(let grant): finish(.granted(grant), received)
        case .refused(let refusal): finish(.refused(refusal, tenant: request.tenant), received)
        case .preflight(let preflight): finish(.preflight(preflight, tenant: request.tenant), received)
        case .needs(let step): perform(step)
        }
    }

    /// Where it is only observed, the path is as ambiguous as others that go through; but not where the other proxy, which
    /// resolves no dot segments, may read it as the path of another tenant.
    private func refusalOfPath(_ request: RoutedRequest, _ bytes: Span<UInt8>) -> Refusal? {
        guard forwardsAsReceived, request.path == .rewritten,
            UnrewrittenPath.isUnsafe(bytes.extracting(request.target.path))
        else { return nil }
        let tenant = request.tenant.tenant
        guard tenant.mode == .observe, !worker.serving.router.hostHasPathPrefix(request) else { return .ambiguousPath }
        circumstances.note(ObservedRefusal(refusal: .ambiguousPath, line: tenant.lines["mode"] ?? 0))
        return nil
    }

    private func endpoint(_ request: RoutedRequest, _ bytes: Span<UInt8>) -> Endpoint? {
        let table = request.tenant.endpoints
        guard !table.isEmpty, request.path != .ambiguous else { return nil }
        var found: Endpoint?
        _ = request.inAnyReading(bytes) { path in
            found = table.endpoint(at: path)
            return found != nil
        }
        // A browser asks first whether it may send a sign-in that goes on to the app, and asks the app.
        let asksFirst = bytes.isEqual(received.head.method, to: "OPTIONS")
        return found.flatMap { asksFirst && request.tenant.forwardsSignIns($0) ? nil : $0 }
    }

    private func perform(_ step: SlowStep) {
        allowed = allowed.after(step)
        stepGeneration = worker.serving.generation
        let isUnderWay =
            switch step {
            case .signature(let check): worker.perform(check, for: self)
            case .keys(let question): worker.perform(question, for: self)
            case .introspection(let question): worker.perform(question, for: self)
            case .proof(let proof): worker.perform(proof, for: self)
            case .refresh: false
            }
        if isUnderWay { return }
        // New tokens could be given to nobody here: the token is judged as it is.
        if case .refresh = step {} else { circumstances.withoutRoom.formUnion(AllowedSteps(step)) }
        decide(isFirst: false)
    }

    private func finish(_ verdict: Verdict, _ request: ReceivedRequest?) {
        let done = self.done
        self.done = nil
        done?(verdict, request)
    }
}
