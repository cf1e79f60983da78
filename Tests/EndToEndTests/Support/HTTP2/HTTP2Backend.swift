import Glibc
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization
import TestSupport
import Testing

/// A backend that speaks HTTP/2 by a library that is not the gateway's own, and holds the gateway to the protocol as
/// strictly as that does. It runs a script for each request.
final class HTTP2Backend: Sendable {
    typealias Script = @Sendable (HTTP2Call) async throws -> Void

    let port: Int
    /// Requests, as soon as their heads are there.
    let calls = Mailbox<HTTP2Call>("a request at the HTTP/2 backend")
    /// Connections that ended, by number.
    let ends: Mailbox<Int>
    private let log: HTTP2BackendLog
    private let listener: any Channel

    private init(listener: any Channel, port: Int, log: HTTP2BackendLog) {
        self.listener = listener
        self.port = port
        self.log = log
        ends = log.ends
    }

    /// - Parameters:
    ///   - settings: What it announces.
    ///   - tls: Nil: with prior knowledge.
    ///   - checksLengths: Whether the library checks the Content-Length of its own responses.
    static func start(
        settings: HTTP2Settings = [],
        tls: ServerTLS? = nil,
        checksLengths: Bool = true,
        _ script: @escaping Script
    ) async throws -> HTTP2Backend {
        let log = HTTP2BackendLog()
        let arrivals = Mailbox<HTTP2Call>("a request")
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // NIOHTTP2 1.46 ends a debug process by an assertion when a channel becomes writable again while a control
            // frame waits that was written, but not flushed, before: this one stays writable.
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 32 << 20, high: 64 << 20))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandlers(tls.handlers(reading: .byItself) {}) }
                    try pipeline.addHandler(
                        NIOHTTP2Handler(
                            mode: .server,
                            initialSettings: settings,
                            contentLengthValidation: checksLengths ? .enabled : .disabled
                        )
                    )
                    try pipeline.addHandler(HTTP2BackendConnection(channel, log) { arrivals.put($0) })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = listener.localAddress?.port else { throw Malformed("a listener without a port") }
        let backend = HTTP2Backend(listener: listener, port: port, log: log)
        Task {
            while let call = try? await arrivals.next(within: .hours(1)) {
                backend.calls.put(call)
                Task {
                    do {
                        try await script(call)
                    } catch is HTTP2Call.Reset {
                        // As the gateway wished.
                    } catch is NIOHTTP2Errors.StreamClosed {
                        // It ended while something was to be sent.
                    } catch is EndOfStream {
                        // The connection went first.
                    } catch {
                        log.complain("\(error)")
                    }
                }
            }
        }
        return backend
    }

    /// Connections so far.
    var connections: Int { log.state.withLock { $0.channels.count } }

    /// Requests so far.
    var requests: Int { log.state.withLock { $0.requests } }

    /// The most requests that were under way at once.
    var mostAtOnce: Int { log.state.withLock { $0.mostAtOnce } }

    /// What the gateway did against the protocol, and scripts that failed.
    var complaints: [String] { log.state.withLock { $0.complaints } }

    /// Breaks all connections off with a reset.
    func reset() async throws {
        for channel in log.state.withLock({ $0.channels }) {
            guard let socket = channel as? any SocketOptionProvider else {
                throw Malformed("a channel without a socket")
            }
            try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            try await channel.close()
        }
    }

    func stop() async {
        try? await listener.close()
        for channel in log.state.withLock({ $0.channels }) { try? await channel.close() }
    }
}

final class HTTP2BackendLog: Sendable {
    struct State {
        var channels: [any Channel] = []
        var requests = 0
        var underWay = 0
        var mostAtOnce = 0
        var complaints: [String] = []
    }

    let state = Mutex(State())
    let ends = Mailbox<Int>("the end of a connection at the HTTP/2 backend")

    func complain(_ text: String) {
        state.withLock { $0.complaints.append(text) }
    }
}

/// Takes the frames of one connection apart.
private final class HTTP2BackendConnection: ChannelInboundHandler {
    typealias InboundIn = NIOHTTP2.HTTP2Frame
    typealias OutboundOut = NIOHTTP2.HTTP2Frame

    private let number: Int
    private let channel: any Channel
    private let log: HTTP2BackendLog
    private let arrived: (HTTP2Call) -> Void
    private var calls: [HTTP2StreamID: HTTP2Call] = [:]

    init(_ channel: any Channel, _ log: HTTP2BackendLog, arrived: @escaping (HTTP2Call) -> Void) {
        self.channel = channel
        self.log = log
        self.arrived = arrived
        number = log.state.withLock { state in
            state.channels.append(channel)
            return state.channels.count - 1
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let payload):
            if let call = calls[frame.streamID] {
                call.parts.put(.trailers(payload.headers))
            } else {
                begin(frame.streamID, payload.headers)
            }
            if payload.endStream { calls[frame.streamID]?.requestEnded() }
        case .data(let payload):
            guard let call = calls[frame.streamID] else { return }
            if case .byteBuffer(let bytes) = payload.data { call.parts.put(.data(Array(bytes.readableBytesView))) }
            if payload.endStream { call.requestEnded() }
        default: break
        }
    }

    private func begin(_ id: HTTP2StreamID, _ fields: HPACKHeaders) {
        let call = HTTP2Call(id: id, connection: number, channel: channel, fields: fields)
        calls[id] = call
        log.state.withLock { state in
            state.requests += 1
            state.underWay += 1
            state.mostAtOnce = max(state.mostAtOnce, state.underWay)
        }
        arrived(call)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? StreamClosedEvent, let call = calls.removeValue(forKey: event.streamID) {
            over(call, event.reason.map { HTTP2Call.Reset(code: Int($0.networkCode)) })
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !(error is ChannelError), !(error is IOError), !(error is NIOSSLError) else { return }
        if let error = error as? NIOHTTP2Errors.StreamError {
            log.complain("on stream \(error.streamID): \(error.baseError)")
        } else {
            log.complain("\(error)")
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        for call in calls.values { over(call, nil) }
        calls = [:]
        log.ends.put(number)
        context.fireChannelInactive()
    }

    private func over(_ call: HTTP2Call, _ reset: HTTP2Call.Reset?) {
        log.state.withLock { $0.underWay -= 1 }
        call.requestEnded(reset ?? EndOfStream())
        call.ended.put(reset?.code)
    }
}

extension NIOHTTP2.HTTP2Setting {
    /// SETTINGS_MAX_CONCURRENT_STREAMS.
    static func maximumStreams(_ count: Int) -> NIOHTTP2.HTTP2Setting {
        NIOHTTP2.HTTP2Setting(parameter: .maxConcurrentStreams, value: count)
    }
}

/// A gateway whose tenant `app` is behind a server that speaks HTTP/2 without TLS.
///
/// - Parameter keys: Further keys of `backend`.
func withHTTP2Backend(
    _ script: @escaping HTTP2Backend.Script,
    keys: String = "",
    tenant: String = "",
    settings: HTTP2Settings = [],
    checksLengths: Bool = true,
    _ test: (GatewayFixture, HTTP2Backend) async throws -> Void
) async throws {
    let backend = try await HTTP2Backend.start(settings: settings, checksLengths: checksLengths, script)
    let setup = GatewaySetup(
        tenant:
            "backend: { servers: [\"h2c://127.0.0.1:\(backend.port)\"]\(keys.isEmpty ? "" : ", \(keys)") }\n\(tenant)"
    )
    try await attempt {
        try await withGateway(setup) { fixture async throws in try await test(fixture, backend) }
    } finally: {
        await backend.stop()
    }
    #expect(backend.complaints == [])
}
