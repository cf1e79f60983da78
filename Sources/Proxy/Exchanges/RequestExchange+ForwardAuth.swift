import Authorization
import Counting
import HTTPCore
import NIOCore

/// Decision queries: other proxies ask whether they may forward a request.
extension RequestExchange {
    /// Returns whether the request was a decision query; if so it is answered now or later.
    func isDecisionQuery(_ request: ReceivedRequest, _ bytes: Span<UInt8>) -> Bool {
        guard let peer, peer.isTrustedProxy, let query = ForwardAuthQuery(request.head, bytes) else {
            return false
        }
        var queried = worker.loop.allocator.buffer(capacity: request.head.length + 128)
        do throws(HTTPViolation) {
            try query.write(request.head, bytes, to: &queried)
        } catch {
            worker.logRequest(&record, request.head, bytes, isBehindProxy: true)
            worker.keepRefusedHead(&record, request.head, bytes)
            refuse(Refusal(error))
            return true
        }
        decide(on: queried, peer, keepsUnauthorized: query.keepsUnauthorized)
        return true
    }

    /// - Parameters:
    ///   - queried: The head of the request that the query is about.
    ///   - keepsUnauthorized: See ``ForwardAuthQuery/keepsUnauthorized``.
    private func decide(on queried: ByteBuffer, _ peer: Peer, keepsUnauthorized: Bool) {
        // TLS details of the proxy's connection are not the client's.
        let decisionContext = DecisionContext(peer: peer.withoutTLS, source: .forwardAuth)
        let id = id
        var hasWaited = false
        guard advance({ $0.waitsForDecisionQuery() }) != nil else { return }
        let decisionQuery = DecisionQuery(
            queried,
            decisionContext,
            worker: worker
        ) { [self] verdict, queried in
            // The proxy may be gone, and the exchange serve another request.
            guard self.id == id, advance({ $0.decisionQueryEnded() }) == true else { return }
            answer(verdict, decisionContext, queried, keepsUnauthorized: keepsUnauthorized)
            if hasWaited { goOn() }
        }
        decisionQuery.begin()
        hasWaited = true
        if self.id == id, case .deciding = lifecycle.state { endWork(at: worker.now()) }
    }

    /// - Parameter queried: The request in question; nil if it could not be parsed.
    private func answer(
        _ verdict: Authorizer.Decision,
        _ decisionContext: DecisionContext,
        _ queried: ReceivedRequest?,
        keepsUnauthorized: Bool
    ) {
        guard let queried else { return refuse(DecisionResponse(verdict).refusal ?? .malformedQuery) }
        let buffer = queried.bytes
        let bytes = buffer.readableBytesUInt8Span
        record.request.askedMethod = CountedMethod(bytes, queried.head.method)
        switch worker.answer(verdict, decisionContext, queried.head, bytes, &record) {
        case .refuse(var refusal, _):
            if keepsUnauthorized, refusal.leadsToSignIn { refusal.status = 401 }
            refuse(refusal)
        case .pass(let pass):
            let fields = pass.fields(record.id, freshNonce: decisionContext.freshNonce)
            respondUnshaped(GatewayResponse(status: 200, unindexedFields: fields))
        case .preflight: refuse(.oursToServe)
        }
    }
}
