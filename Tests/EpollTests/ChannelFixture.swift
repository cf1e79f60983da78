import Glibc
import NIOCore
import Testing

@testable import Epoll

/// A listener on a loop of its own, and plain sockets that connect to it.
struct ChannelFixture {
    let group: EpollLoopGroup
    let loop: EpollLoop
    let listener: EpollListener
    /// Accepted, in order.
    let notes: AsyncStream<ChannelNote>

    typealias Act = @Sendable (ChannelNote, ChannelHandlerContext, ByteBuffer?) -> Void

    /// Runs `body` beside a listener whose connections record their events, and run `act`.
    static func run(
        starts: Bool = true,
        act: @escaping Act = { _, _, _ in },
        _ body: (ChannelFixture) async throws -> Void
    ) async throws {
        let group = try EpollLoopGroup(count: 1)
        let loop = try #require(group.loops.first)
        let (notes, continuation) = AsyncStream.makeStream(of: ChannelNote.self)
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 0)
        let listener = try await loop.submit {
            let serving = ServingLoop(loop) { channel in
                try channel.pipeline.syncOperations.addHandler(EventRecorder(continuation, act: act))
            }
            return try EpollListener(address, backlog: 16, among: [serving])
        }.get()
        if starts { try await listener.start() }
        do {
            try await body(ChannelFixture(group: group, loop: loop, listener: listener, notes: notes))
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    func connect() throws -> BlockingSocket { try BlockingSocket(to: listener.address) }
}

/// A socket that a test reads and writes by itself.
struct BlockingSocket {
    let descriptor: CInt

    init(to address: SocketAddress) throws {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        try #require(address.withSockAddr { Glibc.connect(descriptor, $0, socklen_t($1)) } == 0)
    }

    func send(_ text: String) { _ = text.withCString { Glibc.send(descriptor, $0, strlen($0), CInt(MSG_NOSIGNAL)) } }

    /// Reads to the end, or to an error.
    ///
    /// - Returns: The bytes and the error, 0 if there is none.
    @concurrent func readToEnd() async -> (bytes: [UInt8], error: CInt) {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(descriptor, &part, part.count, 0)
            guard count > 0 else { return (bytes, count < 0 ? errno : 0) }
            bytes += part.prefix(count)
        }
    }

    /// Sends no more.
    func shutDown() { _ = shutdown(descriptor, CInt(SHUT_WR)) }

    /// - Parameter reset: Whether the peer gets a reset rather than an orderly end.
    func close(reset: Bool = false) {
        if reset {
            var setting = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &setting, socklen_t(MemoryLayout<linger>.size))
        }
        Glibc.close(descriptor)
    }
}

extension AsyncStream<ChannelNote> {
    /// What is noted up to the first `note`, this included.
    func upTo(_ note: ChannelNote) async -> [ChannelNote] {
        var notes: [ChannelNote] = []
        for await next in self {
            notes.append(next)
            if next == note { break }
        }
        return notes
    }

    /// Everything until the channel is inactive.
    func all() async -> [ChannelNote] { await upTo(.inactive) }
}
