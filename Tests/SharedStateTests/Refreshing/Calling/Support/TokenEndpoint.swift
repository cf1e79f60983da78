import NIOCore
import NIOPosix
import NIOSSL
import TestSupport

/// A provider on loopback that reads whole requests, sends the exact bytes of a test, and counts.
final class TokenEndpoint: Sendable {
    struct Response: Sendable {
        /// Nil: none, ever.
        var bytes: [UInt8]?
        var closes = false

        static let silence = Response(bytes: nil)
        static let close = Response(bytes: [], closes: true)

        static func status(_ status: String, _ fields: [String] = [], _ body: [UInt8] = []) -> Response {
            let lines = ["HTTP/1.1 \(status)", "content-length: \(body.count)"] + fields
            return Response(bytes: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
        }

        /// Byte for byte, and then the end.
        static func raw(_ bytes: [UInt8]) -> Response { Response(bytes: bytes, closes: true) }
    }

    private struct Seen {
        var requests: [String] = []
        var connections = 0
        var open = 0
    }

    let port: Int
    private let seen = Awaited(Seen())
    private let channel: any Channel

    /// - Parameters:
    ///   - tls: Nil: plain HTTP.
    ///   - response: Given the request, and how many came before it.
    init(tls: NIOSSLContext? = nil, _ response: @escaping @Sendable (_ request: String, _ number: Int) -> Response)
        async throws
    {
        let seen = self.seen
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(Handler(seen, response))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        port = channel.localAddress?.port ?? 0
    }

    /// The requests byte for byte.
    var requests: [String] { seen.value.requests }
    /// How many connections there have been.
    var connections: Int { seen.value.connections }

    func waitForRequests(_ count: Int) async { await seen.wait { $0.requests.count >= count } }

    func waitForTheEndOfAllConnections() async { await seen.wait { $0.open == 0 } }

    func close() async { try? await channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let seen: Awaited<Seen>
        private let response: (String, Int) -> Response
        private var received = ""

        init(_ seen: Awaited<Seen>, _ response: @escaping (String, Int) -> Response) {
            self.seen = seen
            self.response = response
        }

        func channelActive(context: ChannelHandlerContext) {
            seen.update {
                $0.connections += 1
                $0.open += 1
            }
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            seen.update { $0.open -= 1 }
            context.fireChannelInactive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += String(buffer: unwrapInboundIn(data))
            guard let request = wholeRequest() else { return }
            received.removeFirst(request.count)
            let number = seen.update { seen in
                seen.requests.append(request)
                return seen.requests.count - 1
            }
            let response = response(request, number)
            guard let bytes = response.bytes else { return }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            if response.closes { context.close(promise: nil) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func wholeRequest() -> String? {
            guard let headEnd = received.firstRange(of: "\r\n\r\n")?.upperBound else { return nil }
            let fields = received[..<headEnd].lowercased().split(separator: "\r\n")
            let length = fields.first { $0.hasPrefix("content-length:") }?.dropFirst(15).filter(\.isNumber)
            let bodyLength = length.flatMap { Int($0) } ?? 0
            guard received[headEnd...].utf8.count >= bodyLength else { return nil }
            return String(received[..<received.utf8.index(headEnd, offsetBy: bodyLength)])
        }
    }
}
