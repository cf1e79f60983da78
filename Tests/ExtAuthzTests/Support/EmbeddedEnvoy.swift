import HTTPCore
import NIOCore
import NIOEmbedded
import Synchronization

@testable import ExtAuthz

/// Decides on command, and records the queries.
final class PendingAuthorizer: CheckHandler {
    typealias Reply = @Sendable (CheckReply) -> Void

    private let trusted: Set<String>
    private let asked = Mutex<[(peer: String, request: QueriedRequest, reply: Reply)]>([])

    init(trusting peers: Set<String>) { trusted = peers }

    var peers: [String] { asked.withLock { $0.map(\.peer) } }
    var requests: [QueriedRequest] { asked.withLock { $0.map(\.request) } }

    func answers(_ peer: String) -> Bool { trusted.contains(peer) }

    func decide(_ request: QueriedRequest, for peer: String, reply: @escaping Reply) {
        asked.withLock { $0.append((peer, request, reply)) }
    }

    func grant(_ index: Int) { asked.withLock { $0[index].reply }(.granted(RequestChanges())) }
}

/// A client's side of one connection to the service, without a socket.
final class EmbeddedEnvoy {
    struct Response {
        var fields: [String: String] = [:]
        var body: [UInt8] = []
        var isComplete = false
        var reset: HTTP2ErrorCode?
    }

    /// Of the framed message of a grant without changes.
    static let grant: [UInt8] = [0, 0, 0, 0, 4, 0x0a, 0x00, 0x1a, 0x00]
    static let call = [
        (":method", "POST"), (":scheme", "http"), (":path", "/envoy.service.auth.v3.Authorization/Check"),
        (":authority", "gatehouse"), ("content-type", "application/grpc"), ("te", "trailers"),
    ]

    let authorizer = PendingAuthorizer(trusting: ["192.0.2.1", "2001:db8::1"])
    let channel = EmbeddedChannel()
    private(set) var responses: [UInt32: Response] = [:]
    private(set) var lastStreamOfGoAway: UInt32?
    private var session = HTTP2Session(role: .client, limits: HTTP2Limits())
    private var list = HeaderList()

    init(_ peer: SocketAddress? = try? SocketAddress(ipAddress: "192.0.2.1", port: 8080)) throws {
        let connection = AuthorizationConnection(
            authorizer: authorizer,
            maximumMessageLength: 100,
            idleTime: .seconds(60)
        )
        channel.remoteAddress = peer
        try channel.pipeline.syncOperations.addHandler(connection)
        channel.pipeline.fireChannelActive()
        session.start()
        try exchange()
    }

    /// Begins a call.
    ///
    /// - Parameter fields: Replace those of the same name in ``call``, or are added; nil removes one.
    func open(_ fields: [String: String?] = [:], endStream: Bool = false) throws -> UInt32? {
        guard let stream = session.openStream() else { return nil }
        var all = Self.call.filter { fields[$0.0] == nil }
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            if let value { all.append((name, value)) }
        }
        all = all.filter { $0.0.hasPrefix(":") } + all.filter { !$0.0.hasPrefix(":") }
        session.sendHeaders(stream: stream, endStream: endStream) { encoder, out in
            for (name, value) in all {
                let (name, value) = (Array(name.utf8), Array(value.utf8))
                encoder.encode(name: name.span, value: value.span, indexing: .without, to: &out)
            }
        }
        try exchange()
        return stream
    }

    func send(_ stream: UInt32, _ bytes: [UInt8], endStream: Bool) throws {
        session.sendData(stream: stream, ByteBuffer(bytes: bytes), endStream: endStream)
        try exchange()
    }

    func reset(_ stream: UInt32) throws {
        session.reset(stream: stream, code: .cancel)
        try exchange()
    }

    /// A call with its whole body.
    func call(_ body: [UInt8], _ fields: [String: String?] = [:]) throws -> Response {
        guard let stream = try open(fields) else { return Response() }
        try send(stream, body, endStream: true)
        return responses[stream] ?? Response()
    }

    /// Passes bytes both ways until there are none.
    func exchange() throws {
        repeat {
            if session.output.readableBytes > 0 {
                try channel.writeInbound(session.output)
                session.output.clear()
            }
            channel.embeddedEventLoop.run()
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) { session.receive(bytes) }
            while let event = session.next(headers: &list, at: 0) { note(event) }
        } while session.output.readableBytes > 0
    }

    private func note(_ event: HTTP2Session.Event) {
        switch event {
        case .headers(let stream, let endStream, _):
            for field in list.fields {
                let name = String(decoding: list.bytes[field.name], as: UTF8.self)
                responses[stream, default: Response()].fields[name] =
                    String(decoding: list.bytes[field.value], as: UTF8.self)
            }
            responses[stream, default: Response()].isComplete = endStream
        case .data(let stream, let bytes, let flowControlled, let endStream):
            session.consumed(stream: stream, flowControlled)
            responses[stream, default: Response()].body += Array(bytes.readableBytesView)
            responses[stream, default: Response()].isComplete = endStream
        case .reset(let stream, let code, _): responses[stream, default: Response()].reset = code
        case .goAway(let lastStream, _): lastStreamOfGoAway = lastStream
        case .writable, .settings, .connectionError: break
        }
    }
}
