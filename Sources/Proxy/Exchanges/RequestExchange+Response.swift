import Authorization
import HTTPCore
import NIOCore
import Time
import Upstream

/// The response: the server's as it arrives, or the gateway's own.
extension RequestExchange: UpstreamRequestOwner {
    var takesResponse: Bool { client?.isWritable ?? false }

    func interim(_ response: ReceivedResponse) {
        if response.head.status == 100 {
            guard advance({ $0.continuePassedOn() }) != nil else { return }
            // Now the client has to send.
            if takesBody { updateBodyDeadline() }
        }
        client?.writeInterim(response, style)
    }

    func responseStarted(_ response: ReceivedResponse, _ framing: ResponseFraming) {
        record.response.status = response.head.status
        guard let stays = advance({ $0.responseStarted(draining: worker.isDraining) }) else { return }
        style.stays = stays
        guard client?.writeHead(response, framing, style) == true else { return }
        _ = advance { $0.responseEndsConnection() }
    }

    func responseBody(_ bytes: ByteBuffer, _ range: Range<Int>) {
        if lifecycle.isGathering {
            if advance({ $0.gather(bytes, range) }) == true { return }
            passGathered()
        }
        write(bytes, range)
    }

    /// Sends what was gathered to the client, and gathers no more.
    func passGathered() {
        if let content = advance({ $0.passGathered() }) { write(content, 0..<content.readableBytes) }
    }

    func write(_ bytes: ByteBuffer, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        record.response.bodyBytes += range.count
        client?.writeBody(bytes, range)
    }

    func responseEnded(serverKeepsAlive: Bool, trailers: [UInt8], at now: MonotonicTime) -> Bool {
        let reusesServer = serverKeepsAlive && lifecycle.body.isComplete
        if lifecycle.isGathering, holdsEnd(trailers: trailers) {
            upstream.end()
            // The body is not read until then.
            client?.setReading(false)
        } else {
            completeResponse(trailers: trailers, at: now)
        }
        return reusesServer
    }

    func completeResponse(trailers: [UInt8], at now: MonotonicTime) {
        guard let fate = advance({ $0.responseEnded() }) else { return }
        client?.writeEnd(trailers: trailers, style)
        upstream.end()
        refreshAhead()
        leave(fate, status: record.response.status, at: now)
    }

    /// The response is written: the exchange is over.
    private func leave(_ fate: ClientConnectionFate, status: Int, at now: MonotonicTime) {
        finishRecord(status: status, at: now)
        let client = client
        release()
        client?.flush()
        client?.responseEnded(fate, at: now)
    }

    func flushResponse() {
        client?.flush()
        guard !takesResponse else {
            // While both sides send, the client is not late with its body.
            if takesBody { updateBodyDeadline() }
            return
        }
        holdServer()
    }

    func resume() { goOn() }

    // MARK: The gateway's own

    /// - Parameters:
    ///   - closing: Whether the connection must end, because the start of the next request is unknown.
    ///   - reason: For the log; nil: what the client is told.
    func refuse(_ refusal: Refusal, closing: Bool = false, reason: String? = nil) {
        record.outcome = .refused(refusal.code)
        record.reason = reason ?? refusal.detail
        record.isObserved = false
        let context = RefusalContext(
            realm: tenant?.tenant.name,
            proofs: tenant?.runtime.proving?.challenge,
            requestID: record.id,
            fields: style.fields,
            isGRPC: record.request.isGRPC,
            hasProblemPage: tenant != nil && decisionContext.source.isServedHere,
            rules: tenant?.refusals,
            prefersHTML: record.request.prefersHTML
        )
        respond(GatewayResponse(refusal, context), closing: closing)
    }

    /// Sends a response of the gateway's own. The rest of the request's body is read and dropped.
    ///
    /// - Parameter closing: Whether the connection must end.
    func respond(_ response: GatewayResponse, closing: Bool = false) {
        // Even if the client is gone: the request holds a server, or a queue position for one.
        upstream.abandon()
        guard let client,
            let fate = advance({
                $0.respond(draining: worker.isDraining, closing: closing, mostRest: client.mostDroppedBytes)
            })
        else { return }
        send(response.shaped(by: style.shape), fate, client)
    }

    /// Answers a decision query or a preflight: the tenant's response header rules do not apply, and the connection is
    /// kept whatever body the request has.
    func respondUnshaped(_ response: GatewayResponse) {
        upstream.abandon()
        guard let client else { return }
        guard let fate = advance({ $0.respond(draining: worker.isDraining, mostRest: nil) }) else { return }
        send(response, fate, client)
    }

    private func send(_ response: GatewayResponse, _ fate: ClientConnectionFate, _ client: any ClientSide) {
        style.stays = fate != .close
        record.response.bodyBytes = client.write(response, isHead: record.request.method == .head, style)
        leave(fate, status: response.status, at: worker.now())
    }
}
