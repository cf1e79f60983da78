internal import HTTPCore
internal import NIOCore

/// One connection of an Envoy: `envoy.service.auth.v3.Authorization` as gRPC over HTTP/2, the only handler in its
/// channel.
final class AuthorizationConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Sent into the channel: calls under way end, further ones are refused, and then it is closed.
    enum Event {
        case drain
    }

    /// Concurrent queries; Envoy opens another connection for more.
    private static let mostStreams = 64
    private static let mostHeaderBytes = 16_384
    /// How long the peer may take to close its side.
    private static let lingerTime = TimeAmount.seconds(2)

    private enum State {
        case open
        /// No new calls; closed when the last one is answered.
        case draining
        /// Our side is shut, or about to be: nothing is received or sent any more.
        case closing
        case closed
    }

    private struct Call {
        /// Nil once it is being decided on.
        var message: CallMessage?
        var timeout: Scheduled<Void>?
    }

    private let authorizer: any CheckHandler
    private let maximumMessageLength: Int
    private let idleTime: TimeAmount
    private var session: HTTP2Session
    private var fields = HeaderList()
    /// The head as HTTP/1.1. It is not read, but writing it checks it.
    private var head = ByteBuffer()
    private var calls: [UInt32: Call] = [:]
    private var context: ChannelHandlerContext?
    /// The peer's IP address; nil if it has none.
    private var peer: String?
    private var state = State.open
    private var isInTurn = false
    private var lastUse = NIODeadline.uptimeNanoseconds(0)
    /// When an idle connection ends, or one whose peer does not close its side.
    private var deadline: Scheduled<Void>?

    /// - Parameter idleTime: How long a connection may be without a call that begins or ends.
    init(authorizer: any CheckHandler, maximumMessageLength: Int, idleTime: TimeAmount) {
        self.authorizer = authorizer
        self.maximumMessageLength = maximumMessageLength
        self.idleTime = idleTime
        var limits = HTTP2Limits()
        limits.maximumStreams = Self.mostStreams
        limits.maximumHeaderListSize = Self.mostHeaderBytes
        session = HTTP2Session(role: .server, limits: limits)
    }

    // MARK: What the channel says

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        peer = context.channel.remoteAddress?.ipAddress
        lastUse = now
        setDeadline(after: idleTime)
        session.start()
        turn()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isLive { session.receive(unwrapInboundIn(data)) }
    }

    func channelReadComplete(context: ChannelHandlerContext) { turn() }

    /// Nothing more is read from a peer that takes nothing.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        let isWritable = context.channel.isWritable
        session.writabilityChanged(isWritable)
        try? context.channel.syncOptions?.setOption(.autoRead, value: isWritable)
        turn()
    }

    func channelInactive(context: ChannelHandlerContext) { end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .drain? = event as? Event else { return context.fireUserInboundEventTriggered(event) }
        drain()
    }

    // MARK: A turn

    private var isLive: Bool { state == .open || state == .draining }

    /// Processes the received bytes and writes the output.
    private func turn() {
        guard !isInTurn else { return }
        isInTurn = true
        defer { isInTurn = false }
        repeat {
            while isLive, let event = session.next(headers: &fields, at: now.uptimeNanoseconds) {
                take(event)
            }
            guard isLive, session.output.readableBytes > 0, let context else { break }
            context.writeAndFlush(wrapOutboundOut(session.output), promise: nil)
            session.output.clear()
        } while session.hasMoreOutput
        if state == .draining, session.openStreams == 0 { shut() }
    }

    private func take(_ event: HTTP2Session.Event) {
        switch event {
        case .headers(let stream, let endStream, .initial): begin(stream, endStream: endStream)
        case .headers(let stream, _, .trailers): messageEnded(stream)
        case .data(let stream, let bytes, let flowControlled, let endStream):
            session.consumed(stream: stream, flowControlled)
            dataReceived(stream, bytes)
            if endStream { messageEnded(stream) }
        case .reset(let stream, _, _): forget(stream)
        case .connectionError:
            forgetAll()
            if state == .open { state = .draining }
        case .writable, .goAway, .settings: break
        }
    }

    // MARK: Calls

    private func begin(_ stream: UInt32, endStream: Bool) {
        lastUse = now
        do throws(HTTP2Malformed) {
            head.clear()
            let request = try HTTP2Request.write(fields, endStream: endStream, to: &head)
            if let length = request.contentLength { session.expectLength(stream: stream, length) }
        } catch {
            return session.reset(stream: stream, code: .protocolError)
        }
        do throws(CallHead.Refusal) {
            let head = try CallHead(fields, isTrusted: peer.map(authorizer.answers) ?? false)
            let timeout = head.timeout.flatMap { timeout in
                schedule(after: timeout) { $0.refuse(stream, CallStatus(.deadlineExceeded, "the deadline has passed")) }
            }
            calls[stream] = Call(message: CallMessage(maximumLength: maximumMessageLength), timeout: timeout)
        } catch {
            switch error {
            case .unsupportedMediaType:
                session.sendHeaders(stream: stream, endStream: true) { $0.encode(status: 415, to: &$1) }
                session.stopReading(stream: stream)
            case .status(let status): refuse(stream, status)
            }
            return
        }
        if endStream { messageEnded(stream) }
    }

    private func dataReceived(_ stream: UInt32, _ bytes: ByteBuffer) {
        guard var message = calls[stream]?.message else { return }
        // Moved out and back, so that its bytes are not copied on write.
        calls[stream]?.message = nil
        do throws(CallStatus) {
            try message.append(bytes)
            calls[stream]?.message = message
        } catch {
            refuse(stream, error)
        }
    }

    private func messageEnded(_ stream: UInt32) {
        guard let message = calls[stream]?.message, let peer, let context else { return }
        calls[stream]?.message = nil
        do throws(CallStatus) {
            let bytes = try message.whole()
            let request = try Self.request(bytes.readableBytesUInt8Span)
            let (loop, connection) = (context.eventLoop, NIOLoopBound(self, eventLoop: context.eventLoop))
            authorizer.decide(request, for: peer) { reply in
                loop.execute { connection.value.reply(reply, stream) }
            }
        } catch {
            refuse(stream, error)
        }
    }

    private static func request(_ bytes: Span<UInt8>) throws(CallStatus) -> QueriedRequest {
        do throws(ProtobufMalformed) {
            return try CheckRequestReader.read(bytes)
        } catch {
            throw CallStatus(.invalidArgument, "the message is not a CheckRequest")
        }
    }

    /// The call may have ended meanwhile.
    private func reply(_ reply: CheckReply, _ stream: UInt32) {
        guard forget(stream) else { return }
        let message = reply.message
        var bytes = ByteBuffer()
        bytes.reserveCapacity(CallMessage.prefixLength + message.count)
        bytes.writeInteger(UInt8(0))
        bytes.writeInteger(UInt32(clamping: message.count))
        bytes.writeBytes(message)
        session.sendHeaders(stream: stream, endStream: false, encode: Self.encodeHead)
        session.sendData(stream: stream, bytes, endStream: false)
        session.sendTrailers(stream: stream) { $0.append(name: Names.status.span, value: Names.ok.span) }
        turn()
    }

    private func refuse(_ stream: UInt32, _ status: CallStatus) {
        forget(stream)
        session.sendHeaders(stream: stream, endStream: true) { encoder, out in
            Self.encodeHead(&encoder, &out)
            let code = Array(String(status.code.rawValue).utf8)
            encoder.encode(name: Names.status.span, value: code.span, indexing: .incremental, to: &out)
            let message = Array(status.message.utf8)
            encoder.encode(name: Names.message.span, value: message.span, indexing: .without, to: &out)
        }
        session.stopReading(stream: stream)
        turn()
    }

    private static func encodeHead(_ encoder: inout HPACKEncoder, _ out: inout ByteBuffer) {
        encoder.encode(status: 200, to: &out)
        encoder.encode(name: Names.contentType.span, value: Names.gRPC.span, indexing: .incremental, to: &out)
    }

    private enum Names {
        static let contentType = Array("content-type".utf8)
        static let gRPC = Array("application/grpc".utf8)
        static let status = Array("grpc-status".utf8)
        static let message = Array("grpc-message".utf8)
        static let ok = Array("0".utf8)
    }

    /// - Returns: Whether the call was under way.
    @discardableResult
    private func forget(_ stream: UInt32) -> Bool {
        lastUse = now
        guard let call = calls.removeValue(forKey: stream) else { return false }
        call.timeout?.cancel()
        return true
    }

    private func forgetAll() {
        for call in calls.values { call.timeout?.cancel() }
        calls = [:]
    }

    // MARK: Time

    private var now: NIODeadline { context?.eventLoop.now ?? .now() }

    private func setDeadline(after time: TimeAmount) {
        deadline?.cancel()
        deadline = schedule(after: time) { $0.deadlineMet() }
    }

    private func schedule(
        after time: TimeAmount,
        _ body: @escaping @Sendable (AuthorizationConnection) -> Void
    ) -> Scheduled<Void>? {
        guard let context else { return nil }
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: time) { body(connection.value) }
    }

    /// Calls that are decided on have a limit of their own; all others must come and be taken within the idle time.
    private func deadlineMet() {
        guard isLive else { return closeNow() }
        if calls.values.contains(where: { $0.message == nil }) { lastUse = now }
        let rest = lastUse + idleTime - now
        guard rest <= .zero else { return setDeadline(after: rest) }
        if state == .open, session.openStreams == 0, !session.isInsideHeaders { drain() } else { closeNow() }
    }

    // MARK: The end

    private func drain() {
        guard state == .open else { return }
        state = .draining
        session.goAway(code: .noError)
        turn()
    }

    /// Shuts our side when all is written, and closes a little later, so that the peer can read it.
    private func shut() {
        state = .closing
        setDeadline(after: Self.lingerTime)
        context?.close(mode: .output, promise: nil)
    }

    private func closeNow() { context?.close(promise: nil) }

    private func end() {
        state = .closed
        deadline?.cancel()
        forgetAll()
    }
}
