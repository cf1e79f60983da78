import Glibc
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import Epoll

/// Listeners, and connections to servers.
@Suite struct ConnectingTests {
    /// - Returns: Why there is no connection; nil if there is one.
    private func connect(
        to address: SocketAddress,
        on loop: EpollLoop,
        within limit: TimeAmount = .seconds(20)
    ) async throws -> ConnectFailure? {
        let (outcomes, outcome) = AsyncStream.makeStream(of: ConnectFailure?.self)
        let (notes, note) = AsyncStream.makeStream(of: ChannelNote.self)
        _ = notes
        try await loop.submit {
            EpollChannel.connect(to: address, on: loop, within: limit) { channel in
                let recorder = EventRecorder(note) { note, context, _ in
                    guard note == .active else { return }
                    outcome.yield(nil)
                    context.close(promise: nil)
                }
                try channel.pipeline.syncOperations.addHandler(recorder)
            } failed: {
                outcome.yield($0)
            }
        }.get()
        for await failure in outcomes { return failure }
        return nil
    }

    @Test func serverThatListensIsConnectedTo() async throws {
        try await ChannelFixture.run { fixture in
            let failure = try await connect(to: fixture.listener.address, on: fixture.loop)
            #expect(failure == nil)
            #expect(await fixture.notes.all().first == .active)
        }
    }

    @Test func serverThatDoesNotListenRefuses() async throws {
        let group = try EpollLoopGroup(count: 1)
        let loop = try #require(group.loops.first)
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: try await FreePort.find())
        let failure = try await connect(to: address, on: loop)
        #expect(failure == .failed(ECONNREFUSED))
        try await group.shutdownGracefully()
    }

    /// A listener with a full queue does not respond.
    @Test func serverThatIsSilentTimesOut() async throws {
        try await ChannelFixture.run(starts: false) { fixture in
            let full = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            defer { close(full) }
            let any = try SocketAddress(ipAddress: "127.0.0.1", port: 0)
            try #require(any.withSockAddr { bind(full, $0, socklen_t($1)) } == 0)
            try #require(listen(full, 0) == 0)
            let address = try SystemSocket.localAddress(of: full)
            let waiting = try BlockingSocket(to: address)
            defer { waiting.close() }
            let failure = try await connect(to: address, on: fixture.loop, within: .milliseconds(50))
            #expect(failure == .timedOut)
        }
    }

    @Test func listenerTakesNoConnectionBeforeItStarts() async throws {
        try await ChannelFixture.run(starts: false) { fixture in
            let client = try fixture.connect()
            client.send("early")
            // The loop has had its turns, and no connection was reported.
            for _ in 0..<10 { try await fixture.loop.submit {}.get() }
            try await fixture.listener.start()
            #expect(await fixture.notes.upTo(.readComplete) == [.active, .read(5), .readComplete])
            client.close()
        }
    }

    @Test func closedListenerRefuses() async throws {
        try await ChannelFixture.run { fixture in
            await fixture.listener.close()
            let failure = try await connect(to: fixture.listener.address, on: fixture.loop)
            #expect(failure == .failed(ECONNREFUSED))
        }
    }

    @Test func twoListenersShareAnAddress() async throws {
        try await ChannelFixture.run { fixture in
            let address = fixture.listener.address
            let other = try await fixture.loop.submit {
                try EpollListener(address, backlog: 1, among: [ServingLoop(fixture.loop) { _ in }])
            }.get()
            #expect(other.address == address)
            await other.close()
        }
    }
}
