import Glibc
import NIOCore
import Testing

@testable import Epoll

/// Several loops that listen on one address, and connections over loopback, which the kernel divides by a hash.
@Suite(.timeLimit(.minutes(1))) struct SharedAddressTests {
    private enum Note: Sendable, Equatable {
        case opened(loop: Int)
        case closed(loop: Int)
        case received(loop: Int)
    }

    /// Says on which loop it is, and sends back what it gets.
    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        let loop: Int
        let notes: AsyncStream<Note>.Continuation

        init(_ loop: Int, _ notes: AsyncStream<Note>.Continuation) {
            self.loop = loop
            self.notes = notes
        }

        func channelActive(context: ChannelHandlerContext) {
            context.eventLoop.preconditionInEventLoop()
            notes.yield(.opened(loop: loop))
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            notes.yield(.received(loop: loop))
            context.writeAndFlush(data, promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { notes.yield(.closed(loop: loop)) }
    }

    private func run(
        loops count: Int,
        _ body: (SocketAddress, EpollLoopGroup, inout AsyncStream<Note>.AsyncIterator) async throws -> Void
    ) async throws {
        let group = try EpollLoopGroup(count: count)
        let (notes, continuation) = AsyncStream.makeStream(of: Note.self)
        let serving = group.loops.enumerated().map { index, loop in
            ServingLoop(loop) { channel in
                try channel.pipeline.syncOperations.addHandler(Echo(index, continuation))
            }
        }
        var address = try SocketAddress(ipAddress: "127.0.0.1", port: 0)
        var iterator = notes.makeAsyncIterator()
        do {
            for index in serving.indices {
                let bound = address
                let listener = try await serving[index].loop.submit {
                    try EpollListener(bound, backlog: 64, among: serving, at: index)
                }.get()
                address = listener.address
                try await listener.start()
            }
            try await body(address, group, &iterator)
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
        #expect(group.loops.allSatisfy { $0.acceptedConnections.load(ordering: .relaxed) == 0 })
    }

    @Test(arguments: [2, 3, 4]) func connectionsAreSpreadEvenly(loops: Int) async throws {
        try await run(loops: loops) { address, group, notes in
            var counts = [Int](repeating: 0, count: loops)
            var sockets: [BlockingSocket] = []
            for _ in 0..<64 {
                sockets.append(try BlockingSocket(to: address))
                guard case .opened(let loop) = try #require(await notes.next()) else { continue }
                counts[loop] += 1
            }
            #expect(counts.reduce(0, +) == 64)
            #expect(try #require(counts.max()) - #require(counts.min()) <= 2, "\(counts)")
            #expect(group.loops.map { $0.acceptedConnections.load(ordering: .relaxed) } == counts)
            for socket in sockets {
                socket.send("x")
                guard case .received(let loop) = try #require(await notes.next()) else { continue }
                counts[loop] -= 1
            }
            // Each is served where it was opened.
            #expect(counts.allSatisfy { $0 == 0 }, "\(counts)")
            for socket in sockets {
                socket.shutDown()
                #expect(await socket.readToEnd().bytes == Array("x".utf8))
                socket.close()
            }
        }
    }

    @Test func closedConnectionsMakeRoomOnTheirLoop() async throws {
        try await run(loops: 2) { address, group, notes in
            var sockets: [(BlockingSocket, loop: Int)] = []
            for _ in 0..<32 {
                let socket = try BlockingSocket(to: address)
                guard case .opened(let loop) = try #require(await notes.next()) else { continue }
                sockets.append((socket, loop))
            }
            for (socket, loop) in sockets where loop == 0 {
                socket.close(reset: true)
                #expect(await notes.next() == .closed(loop: 0))
            }
            #expect(group.loops[0].acceptedConnections.load(ordering: .relaxed) == 0)
            // As many as the other loop has left: nearly all go where there are none.
            let left = sockets.count { $0.loop == 1 }
            var opened = [0, 0]
            for _ in 0..<left {
                sockets.append((try BlockingSocket(to: address), 0))
                guard case .opened(let loop) = try #require(await notes.next()) else { continue }
                opened[loop] += 1
            }
            #expect(opened[0] >= left - 2, "\(opened)")
        }
    }

    @Test func connectionHandedToStoppedLoopIsClosed() async throws {
        let group = try EpollLoopGroup(count: 1)
        let serving = ServingLoop(group.loops[0]) { _ in }
        try await group.shutdownGracefully()
        var pair: [CInt] = [-1, -1]
        #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
        serving.serve(pair[0], from: nil)
        var byte: UInt8 = 0
        // The other end is at its end.
        #expect(recv(pair[1], &byte, 1, 0) == 0)
        Glibc.close(pair[1])
        #expect(group.loops[0].acceptedConnections.load(ordering: .relaxed) == 0)
    }
}
