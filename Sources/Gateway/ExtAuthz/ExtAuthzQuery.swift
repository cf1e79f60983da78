import Authorization
import ExtAuthz
import HTTPCore
import NIOCore
import Proxy
import Time
import Upstream

/// One query of Envoy on one loop, from the description of a request to the reply.
final class ExtAuthzQuery {
    /// The limit for a reply: longer than the slow steps of a decision, which have their own limits.
    static let patience = TimeAmount.seconds(10)

    private enum State {
        case deciding(reply: (CheckReply) -> Void)
        /// Waits for the decision, until the query is overdue.
        case waiting(reply: (CheckReply) -> Void, overdue: Scheduled<Void>)
        case replied
    }

    private let worker: Worker
    private let peer: Peer
    private var record: ExchangeRecord
    private var state: State
    /// Whether the client speaks HTTP/1, where a 426 has `Upgrade`.
    private var takesUpgrade = false

    /// - Parameters:
    ///   - peer: The Envoy that asks.
    ///   - reply: Called once.
    init(_ worker: Worker, _ peer: Peer, reply: @escaping (CheckReply) -> Void) {
        self.worker = worker
        self.peer = peer
        state = .deciding(reply: reply)
        record = ExchangeRecord(startedAt: worker.now(), id: worker.loop.identifiers.requestID())
    }

    func decide(_ request: QueriedRequest) {
        takesUpgrade = request.version.hasPrefix("HTTP/1.")
        guard let head = request.head() else { return refuse(.malformedQuery) }
        let version: HTTPVersion =
            switch request.version {
            case "HTTP/1.0": .http10
            case "HTTP/2": .http2
            default: .http11
            }
        let decisionContext = DecisionContext(peer: peer, source: .extAuthz)
        let query = DecisionQuery(
            worker.loop.allocator.buffer(bytes: head),
            decisionContext,
            worker: worker
        ) { [self] verdict, received in
            // The reply may have timed out.
            if case .replied = state { return }
            answer(verdict, received, version, decisionContext)
        }
        query.begin()
        guard case .deciding(let reply) = state else { return }
        let bound = NIOLoopBound(self, eventLoop: worker.eventLoop)
        let overdue = worker.eventLoop.scheduleTask(in: Self.patience) { bound.value.refuse(.overloaded) }
        state = .waiting(reply: reply, overdue: overdue)
    }

    /// - Parameter received: Nil if it is not a valid request.
    private func answer(
        _ verdict: Authorizer.Decision,
        _ received: ReceivedRequest?,
        _ version: HTTPVersion,
        _ decisionContext: DecisionContext
    ) {
        guard let received else { return refuse(DecisionResponse(verdict).refusal ?? .malformedQuery) }
        let head = received.head
        let buffer = received.bytes
        let bytes = buffer.readableBytesUInt8Span
        record.id = requestID(head, bytes) ?? record.id
        record.note(head, bytes, version)
        switch worker.answer(verdict, decisionContext, head, bytes, &record) {
        case .refuse(let refusal, _): refuse(refusal)
        case .pass(let pass):
            guard let tenant = record.tenant else {
                worker.loop.failedInternally(.request, "a grant without a tenant")
                return refuse(.internalError)
            }
            finish(.granted(pass.changes(of: head, bytes, tenant.forwarding)), status: 200)
        case .preflight(let preflight, _):
            // Envoy calls it denied if a request is not passed on.
            finish(.denied(status: 204, fields: preflight.fields.map(AuthzField.init), body: []), status: 204)
        }
    }

    func refuse(_ refusal: Refusal) {
        record.outcome = .refused(refusal.code)
        record.reason = refusal.detail
        record.isObserved = false
        let (reply, length) = RefusalReply.make(refusal, record, takesUpgrade: takesUpgrade)
        record.response.bodyBytes = length
        finish(reply, status: refusal.status)
    }

    private func finish(_ checkReply: CheckReply, status: Int) {
        let reply: (CheckReply) -> Void
        switch state {
        case .deciding(let waiting): reply = waiting
        case .waiting(let waiting, let overdue):
            reply = waiting
            overdue.cancel()
        case .replied: return worker.loop.failedInternally(.request, "a query is replied to twice")
        }
        state = .replied
        record.response.status = status
        worker.finished(&record, peer: peer, at: worker.now())
        reply(checkReply)
    }

    /// Envoy's identifier of the request, so that it has one in all logs.
    private func requestID(_ head: RequestHead, _ bytes: Span<UInt8>) -> RequestID? {
        for index in 0..<head.fieldCount where head.fields[index].known == .xRequestID {
            if let id = RequestID(bytes.extracting(head.fields[index].value)) { return id }
        }
        return nil
    }
}

/// A refusal in the form for Envoy: the response that a client of the gateway would get, in parts.
private enum RefusalReply {
    /// - Parameter takesUpgrade: Whether a 426 names what it wants (RFC 9110 section 15.5.22). `Connection`, which must
    ///   name the field, is Envoy's.
    /// - Returns: With the length of the body.
    static func make(_ refusal: Refusal, _ record: ExchangeRecord, takesUpgrade: Bool) -> (CheckReply, Int) {
        let tenant = record.tenant?.runtime
        let context = RefusalContext(
            realm: tenant?.tenant.name,
            proofs: tenant?.proving?.challenge,
            requestID: record.id,
            rules: tenant?.tenant.refusals,
            prefersHTML: record.request.prefersHTML
        )
        let response = GatewayResponse(refusal, context)
        var fields = response.allFields.map(AuthzField.init)
        if takesUpgrade, let upgrade = response.upgrade {
            fields.append(AuthzField(HeaderField("Upgrade", upgrade)))
        }
        return (.denied(status: response.status, fields: fields, body: response.body), response.body.count)
    }
}
