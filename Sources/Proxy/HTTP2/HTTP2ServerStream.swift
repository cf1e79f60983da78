import Authorization
import HTTPCore
import NIOCore
import Tenants
import Time
import Upstream

/// One request of an HTTP/2 client and its response. The fields are written as an HTTP/1.1 head, so that one parser and
/// one decision serve both protocols.
///
/// This file has the input; `+Response` the output. A connection reuses the object for other streams.
final class HTTP2ServerStream {
    let connection: HTTP2ServerConnection
    let exchange: RequestExchange
    private(set) var id: UInt32 = 0
    private(set) var peer: Peer
    var input = HTTP2StreamInput()
    /// The last piece of the response, held back so that END_STREAM can go with the last DATA frame.
    var lastPiece: ByteBuffer?
    /// Whether END_STREAM was sent.
    var responseEnded = false
    private let timer = WheelTimer()

    init(_ connection: HTTP2ServerConnection) {
        self.connection = connection
        peer = connection.peer
        exchange = RequestExchange(worker: connection.worker)
    }

    var worker: Worker { connection.worker }

    // MARK: What the client sends

    /// - Parameter fields: The request's.
    func begin(_ id: UInt32, _ fields: HeaderList, endStream: Bool, isWithinLimit: Bool) {
        self.id = id
        // A reload may have changed the trusted proxies since the object's last request.
        peer = connection.peer
        input = HTTP2StreamInput(isComplete: endStream)
        lastPiece = nil
        responseEnded = false
        timer.target = self
        setDeadline(WheelTimer.never)
        guard isWithinLimit else { return refuseUnread(.tooManyConnections, fields) }
        guard !fields.isTooLarge else { return refuseUnread(Refusal(.headTooLarge), fields) }
        worker.loop.spares.http2Head.clear()
        do throws(HTTP2Malformed) {
            let info = try HTTP2Request.write(fields, endStream: endStream, to: &worker.loop.spares.http2Head)
            if let length = info.contentLength { connection.session.expectLength(stream: id, length) }
        } catch {
            return malformed()
        }
        let request = worker.loop.spares.requests.take()
        switch request.parse(worker.loop.spares.http2Head, worker.parser) {
        case .complete:
            exchange.begin(request, version: .http2, for: self)
            resume()
        case .refused(let violation):
            worker.loop.spares.requests.giveBack(request)
            refuseUnread(Refusal(violation), fields)
        case .incomplete:
            worker.loop.spares.requests.giveBack(request)
            malformed()
        }
    }

    /// Refuses a request whose head was not read completely.
    private func refuseUnread(_ refusal: Refusal, _ fields: HeaderList) {
        // A trusted proxy may be asking for a decision, and would read a status of 200 as a grant.
        let isGRPC = !peer.isTrustedProxy && GRPCStatus.isRequest(fields)
        exchange.refuseUnread(refusal, version: .http2, isGRPC: isGRPC, for: self)
    }

    /// RFC 9113 section 8.1.1.
    private func malformed() {
        connection.session.reset(stream: id, code: .protocolError)
        if exchange.lifecycle.isUnderWay {
            exchange.endMalformed()
        } else {
            exchange.countMalformed(version: .http2, for: self)
        }
        end()
    }

    func bodyReceived(_ bytes: ByteBuffer, flowControlled: Int, endStream: Bool) {
        if endStream { input.isComplete = true }
        input.append(bytes, flowControlled: flowControlled, isCopied: !exchange.takesBody, worker.loop.allocator)
        resume()
    }

    func trailersReceived(_ fields: HeaderList) {
        do throws(HTTP2Malformed) {
            input.trailers = try HTTP2Request.trailers(fields)
        } catch {
            return malformed()
        }
        input.isComplete = true
        resume()
    }

    func resume() {
        switch exchange.lifecycle.state {
        case .streaming where exchange.takesBody, .holding where exchange.takesBody: passBody()
        case .tunnel: passTunnel()
        case .receivingHead, .deciding, .waitingForServer: break
        // Bytes right after a handshake belong to the tunnel, once it is granted.
        case .streaming where exchange.awaitsSwitch: break
        case .streaming, .holding, .finishing, .done, .broken:
            for piece in input.takeAll() { connection.session.consumed(stream: id, piece.flowControlled) }
        }
        // The client may wait for the windows that this returned.
        connection.turn()
    }

    private func passBody() {
        let body = exchange.lifecycle.body
        // A request with an empty body is sent only when it is certain that none follows.
        if body.framing == .length(0), !input.isComplete, input.isEmpty { return exchange.bodyAwaited(since: 0) }
        for piece in input.take(body, worker.loop.allocator) {
            giveBack(piece.flowControlled)
            guard exchange.bodyReceived(piece.bytes) else { return }
        }
        if input.isComplete { return exchange.bodyEnded(trailers: input.trailers) }
        setReading(exchange.flushBody(since: body.count))
    }

    private func passTunnel() {
        for piece in input.takeAll() {
            giveBack(piece.flowControlled)
            if piece.bytes.readableBytes > 0 { exchange.tunnelSent(piece.bytes) }
        }
        exchange.flushTunnelToServer()
        if input.isComplete { exchange.tunnelClientEnded() }
    }

    private func giveBack(_ count: Int) {
        if let given = input.giveBack(count) { connection.session.consumed(stream: id, given) }
    }

    func setReading(_ isReading: Bool) {
        guard let given = input.setReading(isReading) else { return }
        connection.session.consumed(stream: id, given)
        connection.turn()
    }

    // MARK: Ends

    /// The client cancelled the request, or its error made us cancel it.
    func wasReset() {
        exchange.clientGone()
        end()
    }

    /// The connection is gone.
    func abandon() {
        exchange.clientGone()
        worker.loop.timers.retire(timer)
        retire()
    }

    /// The object is not used again.
    func retire() { exchange.detach() }

    /// The stream is over.
    func end() {
        for piece in input.takeAll() { connection.session.consumed(stream: id, piece.flowControlled) }
        lastPiece = nil
        worker.loop.timers.retire(timer)
        connection.ended(self)
    }

    /// The rest of the request is not wanted.
    func stopReading() {
        if !input.isComplete { connection.session.stopReading(stream: id) }
    }

    // MARK: What the client does not take

    /// Too much is held for the client, on any streams.
    func holdServer() { exchange.holdServer() }

    func releaseServer() {
        if isWritable { exchange.clientWritabilityChanged(true) }
    }

    func becameWritable() {
        if isWritable { exchange.clientWritabilityChanged(true) } else { noteHeldUp() }
    }

    /// The stream is blocked, perhaps only because the connection holds too much. That case is covered by the
    /// connection's deadline, and a tunnel has its own.
    func noteHeldUp() {
        switch exchange.lifecycle.state {
        case .streaming, .holding: break
        case .receivingHead, .deciding, .waitingForServer, .tunnel, .finishing, .done, .broken: return
        }
        if connection.session.isCongested(stream: id) { exchange.responseIsHeldUp() } else { exchange.responseIsFree() }
    }
}

extension HTTP2ServerStream: WheelTimerTarget {
    func setDeadline(_ deadline: MonotonicTime) { worker.loop.timers.set(timer, deadline) }

    func deadlineMet() { exchange.deadlineMet() }
}
