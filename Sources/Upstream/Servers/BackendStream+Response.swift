import HTTPCore
import NIOCore
import Time

/// The server's output on a stream.
extension BackendStream {
    /// - Parameter fields: The response's.
    func headReceived(_ fields: HeaderList, endStream: Bool) {
        guard case .awaitingHead(let request, let id) = state.phase, let owner = request.owner else {
            return failInternally("the head of a response that is not awaited")
        }
        request.serverSpoke()
        loop.spares.http2Head.clear()
        do throws(HTTP2Malformed) {
            try HTTP2BackendResponse.write(
                fields,
                endStream: endStream,
                answeringHead: request.isHead,
                to: &loop.spares.http2Head
            )
        } catch {
            return broken()
        }
        let response = loop.spares.responses.take()
        guard response.parse(loop.spares.http2Head, loop.spares.responseParser) == .complete,
            response.head.status != 101
        else {
            loop.spares.responses.giveBack(response)
            return broken()
        }
        if response.head.status < 200 {
            owner.interim(response)
            return loop.spares.responses.giveBack(response)
        }
        let framing = response.head.framing(answeringHead: request.isHead)
        if !endStream, let length = framing.length { connection.session.expectLength(stream: id, length) }
        pool.answered(request)
        let isHeld = owner.holds(response)
        // The owner may have given the stream up meanwhile.
        guard case .awaitingHead = state.phase else { return loop.spares.responses.giveBack(response) }
        if isHeld, state.held(response, isComplete: endStream) { return setDeadline(WheelTimer.never) }
        begin(response, request, endStream: endStream)
    }

    private func begin(_ response: ReceivedResponse, _ request: UpstreamRequest, endStream: Bool) {
        guard state.responseStarted() else { return failInternally("a response that is not awaited") }
        request.owner?.responseStarted(response, response.head.framing(answeringHead: request.isHead))
        loop.spares.responses.giveBack(response)
        if endStream { completed(trailers: []) } else { heard() }
    }

    /// The response goes on, or is held again for another reason.
    func passHeldResponse() {
        guard case .holding(let request, _, let held) = state.phase, let owner = request.owner else { return }
        if owner.holds(held.response) { return }
        guard case .holding = state.phase else { return }
        begin(held.response, request, endStream: false)
        for piece in held.pieces {
            guard case .readingBody = state.phase else { break }
            bodyReceived(piece.bytes, flowControlled: piece.flowControlled, endStream: false)
        }
        if case .complete(let trailers) = held.end { completed(trailers: trailers) }
        request.owner?.flushResponse()
        giveBackWindow()
        connection.turn()
    }

    func bodyReceived(_ bytes: ByteBuffer, flowControlled: Int, endStream: Bool) {
        switch state.phase {
        case .readingBody(let request, _):
            if bytes.readableBytes > 0 { request.owner?.responseBody(bytes, 0..<bytes.readableBytes) }
            passedOn(flowControlled)
            if endStream { completed(trailers: []) } else { heard() }
        case .holding:
            // At most one window: none is returned while it is held.
            _ = state.heldGrew(bytes, flowControlled: flowControlled)
            if endStream { _ = state.heldEnded(trailers: []) }
        case .leased, .queued, .awaitingHead, .ended: failInternally("the body of a response that has not begun")
        }
    }

    func trailersReceived(_ fields: HeaderList) {
        do throws(HTTP2Malformed) {
            let trailers = try HTTP2BackendResponse.trailers(fields)
            if !state.heldEnded(trailers: trailers) { completed(trailers: trailers) }
        } catch {
            broken()
        }
    }

    /// Part of the response's body arrived, or may arrive from now on.
    func heard() {
        // While the request is still being sent, the server is not late.
        guard case .readingBody = state.phase, isReading, requestIsOut else { return }
        setDeadline(loop.now() + pool.idleTimeout)
    }

    private func completed(trailers: [UInt8]) {
        // The exchange may have released it.
        if case .ended = state.phase { return }
        guard case .readingBody(let request, let id) = state.phase, let owner = request.owner else {
            return failInternally("the end of a response that has not begun")
        }
        pool.counters.answers += 1
        // Before the upstream request is over, after which it has no owner.
        giveBackShare()
        let requestIsThrough = owner.responseEnded(serverKeepsAlive: true, trailers: trailers, at: loop.now())
        if case .ended = state.phase { return }
        if !requestIsThrough { connection.session.reset(stream: id, code: .noError) }
        end()
        owner.resume()
    }

    private func broken() {
        if let id = state.id { connection.session.reset(stream: id, code: .protocolError) }
        lost()
    }

    /// The connection broke, or the stream was reset.
    ///
    /// - Parameter wasActedOn: False if the server declared that it never processed the request (RFC 9113 section 8.7):
    ///   that does not count as its failure.
    func lost(wasActedOn: Bool = true) {
        let request: UpstreamRequest
        switch state.lossAction {
        case .nothing: return
        case .end: return end()
        case .endBeforeHead(let unanswered):
            if wasActedOn { pool.failed(.reset, begunAt: unanswered.attemptBegunAt) }
            request = unanswered
        case .endBody(let answered): request = answered
        }
        pool.counters.failures += 1
        end()
        request.serverLost(self, endsProperly: false, wasActedOn: wasActedOn)
    }
}

extension BackendStream: WheelTimerTarget {
    func deadlineMet() {
        switch state.phase {
        case .awaitingHead(let request, let id):
            pool.failed(.silent, begunAt: request.attemptBegunAt)
            timedOut(id)
            request.serverTimedOut(self)
        case .readingBody(let request, let id):
            timedOut(id)
            request.serverLost(self, endsProperly: false)
        // It is waiting for the gateway.
        case .leased, .queued, .holding, .ended: break
        }
    }

    private func timedOut(_ id: UInt32) {
        pool.counters.timeouts += 1
        connection.session.reset(stream: id, code: .cancel)
        end()
        // If nothing arrived on the connection since, it is presumed dead.
        if connection.lastHeard < sentAt { connection.drain() } else { connection.turn() }
    }
}
