import NIOCore
import NIOPosix
import NIOSSL
import TestSupport

/// A provider on loopback that answers byte for byte what a test says, and keeps the heads of all requests.
final class ProviderServer: Sendable {
    struct Response: Sendable {
        /// Nil: none, ever.
        var bytes: [UInt8]?
        var isDripped = false
        var closes = false

        static let silence = Response(bytes: nil)

        static func status(_ status: String, _ fields: [String] = [], _ body: [UInt8] = []) -> Response {
            let lines = ["HTTP/1.1 \(status)", "content-length: \(body.count)"] + fields
            return Response(bytes: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
        }

        static func keySet(_ body: [UInt8], _ fields: [String] = []) -> Response { status("200 OK", fields, body) }

        /// With a head that says what it likes of the body.
        static func raw(_ head: String, _ body: [UInt8] = []) -> Response {
            Response(bytes: Array(head.utf8) + body, closes: true)
        }
    }

    let requests = Awaited<[String]>([])
    let port: Int
    private let channel: any Channel

    /// - Parameters:
    ///   - tls: Nil: plain HTTP.
    ///   - response: Given the head of a request, and the port.
    init(
        tls: NIOSSLContext? = nil,
        _ response: @escaping @Sendable (_ head: String, _ port: Int) -> Response
    ) async throws {
        let requests = self.requests
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(Handler(requests, response))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        port = channel.localAddress?.port ?? 0
    }

    var address: String { "http://127.0.0.1:\(port)" }

    func close() async { try? await channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let requests: Awaited<[String]>
        private let response: (String, Int) -> Response
        private var received = ""

        init(_ requests: Awaited<[String]>, _ response: @escaping (String, Int) -> Response) {
            self.requests = requests
            self.response = response
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += String(buffer: unwrapInboundIn(data))
            while received.hasSuffix("\r\n\r\n") {
                let head = received
                received = ""
                requests.update { $0.append(head) }
                send(response(head, context.channel.localAddress?.port ?? 0), context)
            }
        }

        private func send(_ response: Response, _ context: ChannelHandlerContext) {
            guard let bytes = response.bytes else { return }
            for part in response.isDripped ? bytes.map({ [$0] }) : [bytes] {
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: part)), promise: nil)
            }
            if response.closes { context.close(promise: nil) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
