import HTTPCore
import NIOCore
import Tenants

/// One request of an HTTP/2 client and its answer. The fields are written as a head of HTTP/1.1, which goes the way of
/// all heads: one parser and one journey decide what is good, whatever the client speaks.
final class HTTP2ClientStream: ClientExchange {
    private struct Piece {
        var bytes: ByteBuffer
        var flowControlled: Int
    }

    private static let pieceLength = 4096

    private(set) var id: UInt32 = 0
    /// The two hold each other until the connection is gone.
    private let connection: HTTP2ClientConnection
    /// Body that came before there was a server for it; no more than the stream's window.
    private var waitingBody: [Piece] = []
    private var requestEnded = false
    private var trailers: [UInt8] = []
    /// Flow-controlled bytes that are passed on and not given back, while the server takes no more.
    private var heldBack = 0
    private var isReading = true
    /// The last piece of the answer: what it is the end of is told with it.
    private var lastPiece: ByteBuffer?
    private var answerEnded = false

    init(_ connection: HTTP2ClientConnection) {
        self.connection = connection
        super.init(worker: connection.worker, peer: connection.peer, tokenMemory: connection.tokenMemory)
    }

    // MARK: What the client sends

    /// The request's fields stand in ``Worker/requestFields``.
    func begin(_ id: UInt32, endStream: Bool, isWelcome: Bool) {
        self.id = id
        // The object served another request before, and a reload may have changed who is trusted since.
        peer = connection.peer
        phase = .head
        requestEnded = endStream
        waitingBody.removeAll(keepingCapacity: true)
        trailers = []
        heldBack = 0
        isReading = true
        lastPiece = nil
        answerEnded = false
        answerLines = []
        answerShape = nil
        startTimer()
        record = ExchangeRecord(startedAt: worker.now(), id: worker.identifiers.requestID())
        record.version = .http2
        requestFraming = .none
        exchange = Exchange(clientWantsKeepAlive: true, expectsContinue: false)
        guard isWelcome else { return refuseUnread(.tooManyConnections) }
        guard !worker.requestFields.isTooLarge else { return refuseUnread(Refusal(.headTooLarge)) }
        worker.http2Head.clear()
        do throws(HTTP2Malformed) {
            let info = try HTTP2Request.write(worker.requestFields, endStream: endStream, to: &worker.http2Head)
            if let length = info.contentLength { connection.session.expectLength(stream: id, length) }
        } catch {
            return malformed()
        }
        let bytes = worker.http2Head
        switch worker.parser.parse(bytes.readableBytesUInt8Span, into: worker.requestHead) {
        case .complete: begin(worker.requestHead, bytes, version: .http2)
        case .refused(let violation): refuseUnread(Refusal(violation))
        case .incomplete: malformed()
        }
        process()
    }

    /// Refuses a request whose head was not read, or not to its end.
    private func refuseUnread(_ refusal: Refusal) {
        // A trusted proxy may be asking about a request, and would take a status of 200 for a grant.
        record.isGRPC = !peer.isTrustedProxy && GRPCStatus.isRequest(worker.requestFields)
        refuse(refusal)
    }

    /// RFC 9113 section 8.1.1.
    private func malformed() {
        connection.session.reset(stream: id, code: .protocolError)
        record.outcome = .refused(.badRequest)
        finishRecord(status: 400, at: worker.now())
        end()
    }

    func bodyReceived(_ bytes: ByteBuffer, flowControlled: Int, endStream: Bool) {
        requestEnded = requestEnded || endStream
        keep(bytes, flowControlled)
        process()
    }

    /// A piece is a part of the buffer that was read into, and keeps the whole of it: small ones that have to wait are
    /// copied together, or a client could have us keep a buffer for each byte.
    private func keep(_ bytes: ByteBuffer, _ flowControlled: Int) {
        switch phase {
        case .deciding, .waitingForServer, .answer: break
        default: return waitingBody.append(Piece(bytes: bytes, flowControlled: flowControlled))
        }
        if waitingBody.isEmpty || waitingBody[waitingBody.count - 1].bytes.readableBytes >= Self.pieceLength {
            let buffer = worker.allocator.buffer(capacity: max(bytes.readableBytes, Self.pieceLength))
            waitingBody.append(Piece(bytes: buffer, flowControlled: 0))
        }
        waitingBody[waitingBody.count - 1].bytes.writeImmutableBuffer(bytes)
        waitingBody[waitingBody.count - 1].flowControlled += flowControlled
    }

    /// The fields stand in ``Worker/requestFields``.
    func trailersReceived() {
        do throws(HTTP2Malformed) {
            trailers = try HTTP2Request.trailers(worker.requestFields)
        } catch {
            return malformed()
        }
        requestEnded = true
        process()
    }

    override func process() {
        switch phase {
        case .body: passBody()
        case .tunnel: passTunnel()
        case .head, .deciding, .waitingForServer: break
        // What comes right behind a handshake is for the tunnel, once it is granted.
        case .answer where handshake != nil && exchange.awaitsAnswer: break
        case .answer, .readingPastBody, .closing, .lingering, .closed:
            for piece in waitingBody { connection.session.consumed(stream: id, piece.flowControlled) }
            waitingBody.removeAll(keepingCapacity: true)
        }
        // The client may only be waiting for the windows that this gave back.
        connection.turn()
    }

    private func passBody() {
        guard let server else { return }
        // A request without content is not sent on before it is known that none comes.
        if requestFraming == .length(0), !requestEnded, waitingBody.isEmpty { return bodyAwaited(since: 0) }
        let receivedBefore = bodyBytesReceived
        for piece in takeWaitingBody() {
            giveBack(piece.flowControlled)
            guard bodyReceived(piece.bytes.readableBytes) else { return bodyTooLarge() }
            if piece.bytes.readableBytes > 0 { passOn(piece.bytes, to: server) }
        }
        if requestEnded {
            if connection.session.isCongested(stream: id) { answerIsHeldUp() } else { setDeadline(nil) }
            return endRequest(server, trailers: trailers)
        }
        server.flush(bodyFollows: true)
        guard self.server === server, case .body = phase else { return }
        setReading(server.isWritable)
        bodyAwaited(since: receivedBefore)
    }

    /// What may be passed on of the body. The piece that completes the announced length waits for END_STREAM: otherwise a
    /// server of HTTP/1.1 would take a body that turns out to be longer, which is malformed, for complete.
    private func takeWaitingBody() -> [Piece] {
        var pieces = waitingBody
        waitingBody.removeAll(keepingCapacity: true)
        guard case .length(let length) = requestFraming, !requestEnded else { return pieces }
        let arriving = pieces.reduce(0) { $0 + $1.bytes.readableBytes }
        guard bodyBytesReceived + arriving >= length,
            let last = pieces.lastIndex(where: { $0.bytes.readableBytes > 0 })
        else { return pieces }
        var held = pieces.remove(at: last)
        if held.bytes.readableBytes < Self.pieceLength {
            // A slice would keep the whole buffer that it was read into.
            var copy = worker.allocator.buffer(capacity: held.bytes.readableBytes)
            copy.writeImmutableBuffer(held.bytes)
            held.bytes = copy
        }
        waitingBody.append(held)
        return pieces
    }

    private func passTunnel() {
        let pieces = waitingBody
        waitingBody.removeAll(keepingCapacity: true)
        for piece in pieces {
            giveBack(piece.flowControlled)
            if piece.bytes.readableBytes > 0 { tunnel?.clientSent(piece.bytes) }
        }
        server?.flush(bodyFollows: true)
        if requestEnded { tunnel?.clientGone() }
    }

    private func giveBack(_ count: Int) {
        if isReading { connection.session.consumed(stream: id, count) } else { heldBack += count }
    }

    override func setReading(_ isReading: Bool) {
        self.isReading = isReading
        guard isReading, heldBack > 0 else { return }
        connection.session.consumed(stream: id, heldBack)
        heldBack = 0
        connection.turn()
    }

    /// The client gave the request up, or made us give it up.
    func wasReset() {
        abandonExchange()
        end()
    }

    // MARK: What goes back

    override var isWritable: Bool { !connection.holdsServers && !connection.session.isCongested(stream: id) }

    /// Holds the client to taking what is queued on this stream. A stream that waits only because the connection holds too
    /// much has no deadline for that; the connection has.
    private func awaitReader() {
        if connection.session.isCongested(stream: id) {
            answerIsHeldUp()
        } else if case .body = phase {
            updateBodyDeadline()
        } else {
            setDeadline(nil)
        }
    }

    /// Too much is held for the client, on whichever streams.
    func holdServer() { server?.setReading(false) }

    func releaseServer() {
        if isWritable { becameWritable() }
    }

    override var answerBytesTaken: Int {
        max(0, record.bodyBytes - connection.session.pendingBytes(stream: id) - (lastPiece?.readableBytes ?? 0))
    }

    func becameWritable() {
        answerFlowsAgain()
        switch phase {
        // Before it has begun, an answer of the gateway's own has a deadline of another kind.
        case .answer: if exchange.answerHasBegun { setDeadline(nil) }
        case .deciding: setDeadline(nil)
        case .body: updateBodyDeadline()
        case .head, .waitingForServer, .tunnel, .readingPastBody, .closing, .lingering, .closed: break
        }
        if isWritable { server?.setReading(true) }
    }

    override func interim(_ head: ResponseHead, _ bytes: Span<UInt8>) {
        if head.status == 100 { continuePassedOn() }
        connection.session.sendHeaders(stream: id, endStream: false) { encoder, out in
            HTTP2Response.encodeInterim(head, bytes, shape: answerShape, with: &encoder, to: &out)
        }
        connection.turn()
    }

    override func answerBegan(_ head: ResponseHead, _ bytes: Span<UInt8>, _ framing: ResponseFraming) {
        record.status = head.status
        clientStays = true
        _ = exchange.answerBegan(draining: false)
        answerEnded = framing == .none || framing == .length(0)
        connection.session.sendHeaders(stream: id, endStream: answerEnded) { encoder, out in
            HTTP2Response.encode(
                head,
                bytes,
                date: worker.date,
                lines: answerLines,
                shape: answerShape,
                with: &encoder,
                to: &out
            )
        }
    }

    override func answerBody(_ bytes: ByteBuffer, _ range: Range<Int>) {
        record.bodyBytes += range.count
        sendLastPiece()
        lastPiece = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count)
    }

    private func sendLastPiece() {
        guard let piece = lastPiece else { return }
        lastPiece = nil
        connection.session.sendData(stream: id, piece, endStream: false)
    }

    override func writeEnd(trailers: [UInt8]) {
        guard !answerEnded else { return }
        answerEnded = true
        if trailers.isEmpty {
            connection.session.sendData(stream: id, lastPiece ?? ByteBuffer(), endStream: true)
            lastPiece = nil
            return
        }
        sendLastPiece()
        connection.session.sendTrailers(stream: id) { block in
            HTTP2Response.appendTrailers(trailers, shape: answerShape, to: &block)
        }
    }

    override func flushAnswer() {
        sendLastPiece()
        connection.turn()
        switch phase {
        case .body where !isWritable, .answer where !isWritable:
            server?.setReading(false)
            awaitReader()
        // While both talk, the client is not late with its body.
        case .body: updateBodyDeadline()
        case .tunnel: if !isWritable { server?.setReading(false) }
        case .head, .deciding, .waitingForServer, .answer, .readingPastBody, .closing, .lingering, .closed: break
        }
    }

    override func receiveWindow(outstanding: Int, share: inout Int) -> Int {
        connection.receiveWindows.window(outstanding: outstanding, share: &share, streams: connection.streamCount)
    }

    override func giveBackReceiveWindow(_ share: inout Int) { connection.receiveWindows.giveBack(&share) }

    override func answerIsOut(_ completion: Exchange.Completion, at now: UInt64) {
        if !requestEnded { connection.session.stopReading(stream: id) }
        end()
        connection.turn()
    }

    override func refuse(_ refusal: Refusal, closing: Bool = false) {
        if case .closed = phase { return }
        _ = exchange.answerBegan(draining: false)
        record.outcome = .refused(refusal.code)
        var answer = worker.allocator.buffer(capacity: 1024)
        let isHead = record.method == .head
        record.bodyBytes = RefusalWriter.write(
            refusal,
            RefusalWriter.Exchange(
                realm: record.tenant?.tenant.name,
                proofs: record.tenant?.proving?.challenge,
                requestID: record.id,
                isHead: isHead,
                minorVersion: 1,
                closes: false,
                date: worker.date,
                lines: answerLines,
                isGRPC: record.isGRPC
            ),
            to: &answer
        )
        let endsWithHead = isHead || record.isGRPC
        if worker.responseParser.parse(answer.readableBytesUInt8Span, into: worker.responseHead) == .complete {
            let head = worker.responseHead
            let bytes = answer
            var shape = answerShape
            shape?.isOurs = true
            connection.session.sendHeaders(stream: id, endStream: endsWithHead) { encoder, out in
                let span = bytes.readableBytesUInt8Span
                HTTP2Response.encode(head, span, date: [], lines: [], shape: shape, with: &encoder, to: &out)
            }
            answer.moveReaderIndex(forwardBy: head.length)
            if !endsWithHead { connection.session.sendData(stream: id, answer, endStream: true) }
        }
        if !requestEnded { connection.session.stopReading(stream: id) }
        finishRecord(status: record.isGRPC ? 200 : refusal.status, at: worker.now())
        end()
        connection.turn()
    }

    override func retireConnection() { connection.drain() }

    override func cut() {
        connection.session.reset(stream: id, code: .internalError)
        finishRecord(status: record.status, at: worker.now())
        end()
        connection.turn()
    }

    override func closeNow() {
        connection.session.reset(stream: id, code: .cancel)
        abandonExchange()
        end()
        connection.turn()
    }

    /// Lets go of whatever is still under way.
    private func end() {
        phase = .closed
        process()
        lastPiece = nil
        waitingAt?.forget(self)
        waitingAt = nil
        pendingHead = nil
        undecided = nil
        tunnel?.clientGone()
        tunnel = nil
        abandonServer()
        retireTimer()
        connection.ended(self)
    }

    // MARK: Tunnels (RFC 8441)

    override func switched(_ head: ResponseHead, _ bytes: Span<UInt8>) {
        connection.session.sendHeaders(stream: id, endStream: false) { encoder, out in
            HTTP2Response.encodeSwitching(
                head,
                bytes,
                date: worker.date,
                lines: answerLines,
                shape: answerShape,
                with: &encoder,
                to: &out
            )
        }
        connection.turn()
    }

    override func sendTunnel(_ bytes: ByteBuffer) {
        connection.session.sendData(stream: id, bytes, endStream: false)
    }

    override func endTunnel() {
        if case .closed = phase { return }
        connection.session.sendData(stream: id, ByteBuffer(), endStream: true)
        if !requestEnded { connection.session.stopReading(stream: id) }
        end()
        connection.turn()
    }
}
