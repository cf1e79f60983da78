import Authorization
import Logging
import NIOCore
import Tenants
import Time
import Upstream

/// The first handler of every client connection. It detects the protocol (the PROXY protocol of a trusted proxy, TLS,
/// HTTP/2 with prior knowledge, HTTP/1.1), replaces itself with the matching handler and is gone.
final class ProtocolDetectionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum State {
        /// Before the first request; a trusted proxy may first send a PROXY header.
        case waiting(mayBeProxied: Bool)
        case shakingHands
        case closed
    }

    /// RFC 9113 section 3.4.
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    var indexInWorker = -1
    private let worker: Worker
    private let isTLS: Bool
    private var state = State.waiting(mayBeProxied: false)
    private var isWithinLimit = true
    /// Whether it uses the reserve kept for addresses that are not crowded.
    private var isInReserve = false
    private var input = ByteBuffer()
    private var client: [UInt8] = []
    private var context: ChannelHandlerContext?
    private let timer = WheelTimer()

    init(worker: Worker, isTLS: Bool) {
        self.worker = worker
        self.isTLS = isTLS
    }

    // MARK: What the channel says

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { opened(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        opened(context)
    }

    private func opened(_ context: ChannelHandlerContext) {
        guard indexInWorker < 0 else { return }
        timer.target = self
        setDeadline(worker.idleTimeout)
        let peer = Peer(context.remoteAddress, trustedProxies: worker.settings.trustedProxies)
        client = peer.text
        state = .waiting(mayBeProxied: peer.isTrustedProxy)
        switch worker.admit(self) {
        case .accepted: break
        case .reserve:
            isInReserve = true
            if worker.isCrowded(self) { context.close(promise: nil) }
        case .full:
            isWithinLimit = false
            if !isTLS { serve(context, version: .http11) }
        case .flooded: context.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard case .waiting(let mayBeProxied) = state else { return context.fireChannelRead(data) }
        if input.readableBytes == 0 {
            setDeadline(worker.headerTimeout)
            input = bytes
        } else {
            input.writeBuffer(&bytes)
        }
        if mayBeProxied { readProxyHeader(context) } else { readFirstBytes(context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        gone()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func gone() {
        state = .closed
        worker.loop.timers.retire(timer)
        worker.closed(self)
        input = ByteBuffer()
    }

    private func setDeadline(_ timeout: UInt64) {
        worker.loop.timers.set(timer, worker.now() + timeout)
    }

    // MARK: What is spoken

    private func readProxyHeader(_ context: ChannelHandlerContext) {
        let received = input
        switch ProxyProtocol.read(received.readableBytesUInt8Span) {
        case .needMore: return
        case .malformed(let malformation):
            worker.loop.loggers.clients.notice(
                "a proxy's connection is refused",
                metadata: ["reason": "\(malformation.rawValue)", "peer": "\(String(decoding: client, as: UTF8.self))"]
            )
            return context.close(promise: nil)
        case .absent: break
        case .header(let length, let source, _):
            input.moveReaderIndex(forwardBy: length)
            if let source { client = source.address }
        }
        state = .waiting(mayBeProxied: false)
        if isInReserve, worker.isCrowded(self) { return context.close(promise: nil) }
        readFirstBytes(context)
    }

    private func readFirstBytes(_ context: ChannelHandlerContext) {
        guard input.readableBytes > 0 else { return }
        if isTLS { return shakeHands(context) }
        let received = input
        let bytes = received.readableBytesUInt8Span
        guard bytes.agrees(with: Self.preface) else { return serve(context, version: .http11) }
        if bytes.count >= Self.preface.count { serve(context, version: .http2) }
    }

    private func shakeHands(_ context: ChannelHandlerContext) {
        state = .shakingHands
        let worker = self.worker
        guard let certificates = worker.certificates else { return context.close(promise: nil) }
        let entrance = TLSAcceptor(
            certificates: { worker.certificates ?? certificates },
            unixTime: { Int64(worker.unixTime(at: worker.lastTick).seconds) },
            logger: worker.loop.loggers.tls,
            arrived: { [weak self] arrival, _ in self?.arrived(arrival) }
        )
        do {
            try context.pipeline.syncOperations.addHandler(entrance, position: .after(self))
            passOn(context)
        } catch {
            context.close(promise: nil)
        }
    }

    private func arrived(_ arrival: TLSArrival) {
        guard let context, case .shakingHands = state else { return }
        serve(context, version: arrival.applicationProtocol == "h2" ? .http2 : .http11, tls: PeerTLS(arrival))
    }

    /// Leaves the connection to the handler that serves it.
    private func serve(_ context: ChannelHandlerContext, version: HTTPVersion, tls: PeerTLS? = nil) {
        if case .closed = state { return }
        let peer = Peer(client, trustedProxies: worker.settings.trustedProxies, tls: tls)
        do {
            let channel = context.channel
            let pipeline = channel.pipeline.syncOperations
            state = .closed
            worker.loop.timers.retire(timer)
            // TLS is added ahead of this handler.
            if version == .http2 {
                let connection = HTTP2ServerConnection(worker: worker, peer: peer, isWithinLimit: isWithinLimit)
                worker.handOver(from: self, to: connection)
                try pipeline.addHandler(connection)
            } else {
                let connection = HTTP1ServerConnection(worker: worker, peer: peer, isWithinLimit: isWithinLimit)
                worker.handOver(from: self, to: connection)
                try pipeline.addHandler(connection)
                if tls == nil { connection.serveAlone(channel) }
            }
            // Adding the handler may have shown that the client is gone.
            if tls == nil, channel.isActive { passOn(context) }
            pipeline.removeHandler(context: context, promise: nil)
        } catch {
            context.close(promise: nil)
        }
    }

    private func passOn(_ context: ChannelHandlerContext) {
        guard input.readableBytes > 0 else { return }
        let bytes = input
        input = ByteBuffer()
        context.fireChannelRead(wrapInboundOut(bytes))
        context.fireChannelReadComplete()
    }
}

extension ProtocolDetectionHandler: FrontConnection {
    package var address: SubjectName? { Peer(client, trustedProxies: [], tls: nil).limitSubject?.name }

    var countsForAddress: Bool {
        guard isWithinLimit else { return false }
        if case .waiting(mayBeProxied: true) = state { return false }
        return !Peer(client, trustedProxies: worker.settings.trustedProxies, tls: nil).isTrustedProxy
    }

    package var isIdle: Bool { true }

    package func drain() { closeNow() }

    func endRevoked(unixTime: UnixTime, at now: MonotonicTime) -> Bool { false }

    /// The next handler is created with the current list.
    package func trust(_ proxies: [AddressRange]) {}

    func closeNow() { context?.close(promise: nil) }

    package var backlog: ClientBacklog { ClientBacklog() }

    func closeForBacklog() { closeNow() }
}

extension ProtocolDetectionHandler: WheelTimerTarget {
    /// No request was received, so no response is sent, except that a partial head gets a timeout response.
    package func deadlineMet() {
        guard let context else { return }
        if case .waiting = state, input.readableBytes > 0, !isTLS { return serve(context, version: .http11) }
        context.close(promise: nil)
    }
}
