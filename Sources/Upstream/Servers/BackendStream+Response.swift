import HTTPCore
import NIOCore
import Time

/// What the server sends on a stream.
extension BackendStream {
    /// A response that waits, as far as it has come.
    struct HeldResponse {
        enum End {
            case open
            /// With its trailers.
            case complete([UInt8])
        }

        let response: ReceivedResponse
        var pieces: [(bytes: ByteBuffer, flowControlled: Int)] = []
        var end: End
    }

    /// - Parameter fields: The response's.
    func headReceived(_ fields: HeaderList, endStream: Bool) {
        guard case .awaitingHead(let request) = state, let owner = request.owner else { return }
        request.serverSpoke()
        loop.spares.http2Head.clear()
        do throws(HTTP2Malformed) {
            try HTTP2BackendResponse.write(
                fields,
                endStream: endStream,
                answeringHead: request.details.isHead,
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
        let framing = response.head.framing(answeringHead: request.details.isHead)
        if !endStream, let length = framing.length { connection.session.expectLength(stream: id, length) }
        pool.answered(request)
        let isHeld = owner.holds(response)
        // An owner that is over by now has given the stream up.
        guard case .awaitingHead = state else { return loop.spares.responses.giveBack(response) }
        if isHeld {
            state = .holding(request, HeldResponse(response: response, end: endStream ? .complete([]) : .open))
            return setDeadline(WheelTimer.never)
        }
        begin(response, request, endStream: endStream)
    }

    private func begin(_ response: ReceivedResponse, _ request: UpstreamRequest, endStream: Bool) {
        state = .readingBody(request)
        request.owner?.responseStarted(response, response.head.framing(answeringHead: request.details.isHead))
        loop.spares.responses.giveBack(response)
        if endStream { completed(trailers: []) } else { heard() }
    }

    /// The response goes on, or is held once more for another reason.
    func passHeldResponse() {
        guard case .holding(let request, let held) = state, let owner = request.owner else { return }
        if owner.holds(held.response) { return }
        guard case .holding = state else { return }
        begin(held.response, request, endStream: false)
        for piece in held.pieces {
            guard case .readingBody = state else { break }
            bodyReceived(piece.bytes, flowControlled: piece.flowControlled, endStream: false)
        }
        if case .complete(let trailers) = held.end { completed(trailers: trailers) }
        request.owner?.flushResponse()
        giveBackWindow()
        connection.turn()
    }

    func bodyReceived(_ bytes: ByteBuffer, flowControlled: Int, endStream: Bool) {
        // At most a window of it: none is given back while it waits.
        if case .holding(let request, var held) = state {
            held.pieces.append((bytes, flowControlled))
            if endStream { held.end = .complete([]) }
            state = .holding(request, held)
            return
        }
        guard case .readingBody(let request) = state else { return }
        if bytes.readableBytes > 0 { request.owner?.responseBody(bytes, 0..<bytes.readableBytes) }
        passedOn(flowControlled)
        if endStream { completed(trailers: []) } else { heard() }
    }

    func trailersReceived(_ fields: HeaderList) {
        do throws(HTTP2Malformed) {
            let trailers = try HTTP2BackendResponse.trailers(fields)
            if case .holding(let request, var held) = state {
                held.end = .complete(trailers)
                state = .holding(request, held)
            } else {
                completed(trailers: trailers)
            }
        } catch {
            broken()
        }
    }

    /// Something of the response's body has come, or may come from now on.
    func heard() {
        // While the request is still on its way, it is not the server whom something is waited for from.
        guard case .readingBody = state, isReading, requestIsOut else { return }
        setDeadline(loop.now() + pool.idleTimeout)
    }

    private func completed(trailers: [UInt8]) {
        guard case .readingBody(let request) = state, let owner = request.owner else { return }
        pool.counters.answers += 1
        // Before the upstream request is over, which then has no owner any more.
        giveBackShare()
        let requestIsThrough = owner.responseEnded(serverKeepsAlive: true, trailers: trailers, at: loop.now())
        if case .ended = state { return }
        if !requestIsThrough { connection.session.reset(stream: id, code: .noError) }
        end()
        owner.resume()
    }

    private func broken() {
        connection.session.reset(stream: id, code: .protocolError)
        lost()
    }

    /// The connection broke, or the stream was reset.
    ///
    /// - Parameter wasActedOn: False where the server said that it never looked at the request (RFC 9113 section 8.7):
    ///   that is no failure of its.
    func lost(wasActedOn: Bool = true) {
        guard let request else { return end() }
        // It has all of the response that it needs.
        if case .holding(_, let held) = state, case .complete = held.end { return }
        pool.counters.failures += 1
        let hadBegun = if case .readingBody = state { true } else { false }
        if !hadBegun, wasActedOn { pool.failed(.reset, begunAt: request.attemptBegunAt) }
        end()
        request.serverLost(self, endsProperly: false, wasActedOn: wasActedOn)
    }
}

extension BackendStream: WheelTimerTarget {
    func deadlineMet() {
        guard let request else { return }
        pool.counters.timeouts += 1
        connection.session.reset(stream: id, code: .cancel)
        let hadBegun = if case .readingBody = state { true } else { false }
        if !hadBegun { pool.failed(.silent, begunAt: request.attemptBegunAt) }
        end()
        // A connection on which nothing came since is as good as dead.
        if connection.lastHeard < sentAt { connection.drain() } else { connection.turn() }
        if hadBegun {
            request.serverLost(self, endsProperly: false)
        } else {
            request.serverTimedOut(self)
        }
    }
}
