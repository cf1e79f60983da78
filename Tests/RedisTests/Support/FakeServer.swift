import NIOCore
import NIOPosix
import TestSupport

/// A server that its test controls. Each connection has the received commands, and sends the bytes it is given.
final class FakeServer: Sendable {
    /// One accepted connection.
    struct Peer: Sendable {
        let channel: any Channel
        /// Each command as its parts, as text.
        let commands: Mailbox<[String]>

        func send(_ text: String) { send(Array(text.utf8)) }

        func send(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

        /// Sends one byte, and waits until it has left.
        func drip(_ byte: UInt8) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: [byte])) }

        func close() { channel.close(promise: nil) }

        /// Replies to the `PING` with which the client begins.
        func welcome() async throws {
            _ = try await commands.next()
            send("+PONG\r\n")
        }
    }

    let port: Int
    let peers: Mailbox<Peer>
    private let listener: any Channel

    static func run(_ body: (FakeServer) async throws -> Void) async throws {
        let server = try await FakeServer()
        do {
            try await body(server)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }

    private func stop() async throws {
        try await listener.close()
        peers.finish(EndOfStream())
    }

    private init() async throws {
        let peers = Mailbox<Peer>("a connection")
        self.peers = peers
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let peer = Peer(channel: channel, commands: Mailbox("a command"))
                    try channel.pipeline.syncOperations.addHandler(CommandReader(peer.commands))
                    peers.put(peer)
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        port = listener.localAddress?.port ?? 0
    }
}

/// Reads commands, which are arrays of bulk strings.
private final class CommandReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let commands: Mailbox<[String]>
    private var received = ByteBuffer()

    init(_ commands: Mailbox<[String]>) {
        self.commands = commands
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.writeImmutableBuffer(unwrapInboundIn(data))
        while let command = readCommand() { commands.put(command) }
    }

    func channelInactive(context: ChannelHandlerContext) { commands.finish(EndOfStream()) }

    private func readCommand() -> [String]? {
        var rest = received
        guard let count = Self.readCount(&rest) else { return nil }
        var words: [String] = []
        for _ in 0..<count {
            guard let length = Self.readCount(&rest), let word = rest.readString(length: length),
                rest.readString(length: 2) != nil
            else { return nil }
            words.append(word)
        }
        received = rest
        return words
    }

    /// `*N` or `$N` and the end of its line.
    private static func readCount(_ bytes: inout ByteBuffer) -> Int? {
        guard let end = bytes.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = bytes.readString(length: end - bytes.readerIndex + 1)
        // CR and LF are one Character.
        return line.flatMap { Int($0.dropFirst().dropLast()) }
    }
}
