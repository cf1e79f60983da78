import HTTPCore
import NIOCore
import Time

/// The server's output: heads, bodies, and the bytes of a tunnel.
extension BackendConnection {
    /// Bytes of a held response that are read to see whether it ends.
    private static let mostHeld = 16 << 10

    func readResponse() {
        while true {
            switch state.phase {
            // A channel with TLS may deliver bytes for seconds after the close.
            case .closed, .ending: return input.clear()
            case .holding(let request, let response, let loss): return heldGrows(response, request, loss)
            case .opening, .idle, .leased:
                // Unsolicited bytes would be taken for the response to the next request.
                if input.count > 0 { close() }
                return
            case .awaitingHead(let request, _):
                guard input.count > 0, readHead(request) else { return }
            case .readingBody(let request, let keepsAlive):
                guard readBody(request, keepsAlive) else { return }
            case .tunnel(let request):
                guard input.count > 0 else { return }
                request.owner?.tunnelReceived(input.takeAll())
                return
            }
        }
    }

    // MARK: Heads

    /// Returns whether to go on processing what was read.
    private func readHead(_ request: UpstreamRequest) -> Bool {
        guard input.mayHoldHead(most: ResponseHeadParser.maximumBytes) else { return false }
        let response = loop.spares.responses.take()
        let outcome = response.parse(input.bytes, loop.spares.responseParser)
        switch outcome {
        case .complete: return received(response, request)
        case .incomplete:
            loop.spares.responses.giveBack(response)
            input.searched = input.count
            spoke(request)
            return false
        case .garbled:
            loop.spares.responses.giveBack(response)
            spoke(request)
            broken()
            return false
        }
    }

    /// Bytes of a response arrived: this server has seen the request.
    private func spoke(_ request: UpstreamRequest) {
        guard state.spoke() else { return failInternally("bytes of a response to no request") }
        request.serverSpoke()
    }

    private func received(_ response: ReceivedResponse, _ request: UpstreamRequest) -> Bool {
        guard let owner = request.owner else {
            loop.spares.responses.giveBack(response)
            failInternally("a response to a request that is over")
            return false
        }
        let status = response.head.status
        guard status >= 200 else {
            spoke(request)
            return receivedInterim(response, request, owner)
        }
        request.serverSpoke()
        let isHeld = owner.holds(response)
        // The owner may have given the connection up meanwhile.
        guard case .awaitingHead = state.phase else {
            loop.spares.responses.giveBack(response)
            return false
        }
        if isHeld {
            hold(response, request, owner)
            return false
        }
        input.searched = 0
        input.drop(response.head.length)
        let framing = response.head.framing(answeringHead: request.isHead)
        pool.answered(request)
        let keepsAlive =
            response.head.keepsAlive && framing != .untilClose && !mayHaveStray(response.head, framing)
        input.decoder = BodyDecoder(framing)
        guard state.responseStarted(keepsAlive: keepsAlive) else {
            failInternally("a response that is not awaited")
            return false
        }
        owner.responseStarted(response, framing)
        loop.spares.responses.giveBack(response)
        return true
    }

    private func receivedInterim(
        _ response: ReceivedResponse,
        _ request: UpstreamRequest,
        _ owner: any UpstreamRequestOwner
    ) -> Bool {
        defer { loop.spares.responses.giveBack(response) }
        if response.head.status == 101 { return switchProtocols(response, request, owner) }
        input.searched = 0
        input.drop(response.head.length)
        owner.interim(response)
        return true
    }

    /// Whether the server might send a body that the head announces but that must not exist; it would be read as the
    /// response to the next request.
    private func mayHaveStray(_ head: ResponseHead, _ framing: ResponseFraming) -> Bool {
        framing == .none && head.status != 304 && (head.isChunked || (head.contentLength ?? 0) > 0)
    }

    /// A switch must be requested, and to the requested protocol only (RFC 9110 section 15.2.2).
    private func switchProtocols(
        _ response: ReceivedResponse,
        _ request: UpstreamRequest,
        _ owner: any UpstreamRequestOwner
    ) -> Bool {
        let bytes = response.bytes
        guard let handshake = request.details.handshake,
            handshake.isAnswered(by: response.head, bytes.readableBytesUInt8Span)
        else {
            broken()
            return false
        }
        input.drop(response.head.length)
        guard state.switched() else {
            failInternally("a tunnel that is not awaited")
            return false
        }
        setDeadline(WheelTimer.never)
        pool.counters.answers += 1
        pool.answered(request)
        owner.switched(response)
        return true
    }

    // MARK: Held responses

    /// The response is held: with its owner if it is here as a whole, so that the connection is free for others;
    /// otherwise here.
    private func hold(_ response: ReceivedResponse, _ request: UpstreamRequest, _ owner: any UpstreamRequestOwner) {
        if isWhole(response, request), owner.takesHeldResponse { return handOver(response, request, owner) }
        _ = input.takeAll()
        input.searched = 0
        guard state.held(response) else { return failInternally("a response is held without a request") }
        setDeadline(WheelTimer.never)
        // The rest of a short response may already be on its way.
        if !owner.takesHeldResponse || response.bytes.readableBytes > Self.mostHeld { setChannelReading(false) }
    }

    /// More of a held response arrived.
    private func heldGrows(
        _ response: ReceivedResponse,
        _ request: UpstreamRequest,
        _ loss: BackendConnectionState.Loss
    ) {
        guard input.count > 0 else { return }
        response.append(input.takeAll())
        guard case .none = loss, let owner = request.owner else { return }
        if owner.takesHeldResponse, isWhole(response, request) { return handOver(response, request, owner) }
        if response.bytes.readableBytes > Self.mostHeld { setChannelReading(false) }
    }

    /// Whether the whole response is here, and the connection good for another request.
    private func isWhole(_ response: ReceivedResponse, _ request: UpstreamRequest) -> Bool {
        guard output.isComplete, response.head.keepsAlive, !state.isChannelClosed else { return false }
        let length: Int
        switch response.head.framing(answeringHead: request.isHead) {
        case .length(let content): length = content
        // The body announced for HEAD may be sent in violation of the protocol.
        case .none where !response.head.isChunked && (response.head.contentLength ?? 0) == 0: length = 0
        case .none, .chunked, .untilClose: return false
        }
        return response.bytes.readableBytes - response.head.length == length
    }

    private func handOver(_ response: ReceivedResponse, _ request: UpstreamRequest, _ owner: any UpstreamRequestOwner) {
        _ = input.takeAll()
        pool.answered(request)
        pool.counters.answers += 1
        owner.takeHeldResponse(response)
        guard state.handedOver() else { return failInternally("a response is handed over without a request") }
        setReading(true)
        pool.release(self, at: loop.now())
    }

    func readHeldResponse() {
        guard let request, let (response, loss) = state.resumed() else { return }
        input.append(response.bytes)
        setReading(true)
        if received(response, request) { readResponse() }
        input.dropIfEmpty()
        request.owner?.flushResponse()
        switch loss {
        case .none: break
        case .proper: lost(properly: true)
        case .improper: lost(properly: false)
        }
    }

    // MARK: Bodies

    private func readBody(_ request: UpstreamRequest, _ keepsAlive: Bool) -> Bool {
        guard let owner = request.owner else {
            failInternally("the body of a response to a request that is over")
            return false
        }
        let bytes = input.bytes
        var position = 0
        while true {
            switch input.decoder.next(bytes.readableBytesUInt8Span, from: &position) {
            case .data(let range): owner.responseBody(bytes, range)
            case .needMore:
                guard case .readingBody = state.phase else { return false }
                input.drop(position)
                // Not while reading is paused, or the request is being sent: delays of a slow client are not the
                // server's fault.
                if input.isReading, output.isComplete { setDeadline(loop.now() + pool.idleTimeout) }
                return false
            case .violation:
                if case .readingBody = state.phase { broken() }
                return false
            case .end:
                guard case .readingBody = state.phase else { return false }
                input.drop(position)
                responseEnded(owner, trailers: input.decoder.trailerSection, keepsAlive)
                return true
            }
        }
    }

    private func responseEnded(_ owner: any UpstreamRequestOwner, trailers: [UInt8], _ keepsAlive: Bool) {
        pool.counters.answers += 1
        let now = loop.now()
        let canKeep = keepsAlive && input.count == 0 && !state.isChannelClosed
        let reuses = owner.responseEnded(serverKeepsAlive: canKeep, trailers: trailers, at: now)
        // The exchange may have released it.
        guard state.responseEnded() else { return }
        if reuses {
            pool.release(self, at: now)
        } else {
            finish()
            close()
        }
        owner.resume()
    }
}
