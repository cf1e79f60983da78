import Dispatch
import Glibc
import NIOCore
import Synchronization
import Testing

@testable import Epoll

/// A channel over a real socket.
@Suite struct EpollChannelTests {
    private static let large = ByteBuffer(repeating: 7, count: 8 << 20)

    @Test func connectionIsReadAndEnds() async throws {
        try await ChannelFixture.run { fixture in
            let client = try fixture.connect()
            client.send("hello")
            #expect(await fixture.notes.upTo(.readComplete) == [.active, .read(5), .readComplete])
            client.close()
            #expect(await fixture.notes.all() == [.readComplete, .inactive])
        }
    }

    @Test func whatIsWrittenArrives() async throws {
        try await ChannelFixture.run { note, context, bytes in
            guard case .read = note, let bytes else { return }
            context.writeAndFlush(NIOAny(bytes), promise: nil)
            context.close(promise: nil)
        } _: { fixture in
            let client = try fixture.connect()
            client.send("echo")
            let (bytes, error) = await client.readToEnd()
            #expect(bytes == Array("echo".utf8) && error == 0)
            client.close()
        }
    }

    @Test func largeOutputGoesOnWhenTheSocketIsNotFullAnyMore() async throws {
        try await ChannelFixture.run { note, context, _ in
            guard note == .active else { return }
            for _ in 0..<3 { context.write(NIOAny(Self.large), promise: nil) }
            context.flush()
            context.close(mode: .output, promise: nil)
        } _: { fixture in
            let client = try fixture.connect()
            let (bytes, error) = await client.readToEnd()
            #expect(bytes.count == 3 * Self.large.readableBytes && error == 0)
            client.close()
            let notes = await fixture.notes.all()
            #expect(notes.prefix(3) == [.writable(false), .active, .writable(true)] || notes.contains(.outputClosed))
            #expect(notes.filter { $0 == .writable(false) }.count == notes.filter { $0 == .writable(true) }.count)
            #expect(notes.contains(.outputClosed))
        }
    }

    @Test func outputEndsAtOnceWhenNothingWaits() async throws {
        try await ChannelFixture.run { note, context, _ in
            if note == .active { context.close(mode: .output, promise: nil) }
        } _: { fixture in
            let client = try fixture.connect()
            #expect(await client.readToEnd().bytes.isEmpty)
            client.close()
            #expect(await fixture.notes.upTo(.active) == [.outputClosed, .active])
        }
    }

    @Test func pausedChannelReadsNothingUntilItGoesOn() async throws {
        let paused = Mutex<EpollChannel?>(nil)
        try await ChannelFixture.run { note, context, _ in
            guard note == .active, let channel = context.channel as? EpollChannel else { return }
            try? channel.syncOptions?.setOption(.autoRead, value: false)
            paused.withLock { $0 = channel }
        } _: { fixture in
            let client = try fixture.connect()
            client.send("later")
            _ = await fixture.notes.upTo(.active)
            let channel = try #require(paused.withLock { $0 })
            // The bytes are there, and the loop knows of them.
            while try await !fixture.loop.submit({ channel.input.isReadable }).get() { await Task.yield() }
            try await channel.setOption(.autoRead, value: true).get()
            #expect(await fixture.notes.upTo(.readComplete) == [.read(5), .readComplete])
            client.close()
        }
    }

    /// Only the end tells that the client is gone, so that what it sent before is read in spite of the pause.
    @Test(arguments: [false, true])
    func pausedChannelLearnsThatItsPeerIsGone(byReset isReset: Bool) async throws {
        try await ChannelFixture.run { note, context, _ in
            if note == .active { try? context.channel.syncOptions?.setOption(.autoRead, value: false) }
        } _: { fixture in
            let client = try fixture.connect()
            _ = await fixture.notes.upTo(.active)
            client.send("gone")
            client.close(reset: isReset)
            let notes = await fixture.notes.all()
            #expect(notes.last == .inactive)
            #expect(notes.contains(.error) == isReset)
        }
    }

    @Test func failingWriteClosesInTheNextTurn() async throws {
        let stillActive = Mutex<[Bool]>([])
        try await ChannelFixture.run { note, context, _ in
            guard case .read = note else { return }
            // The peer answers what it does not want with a reset, so that one of the writes fails.
            for _ in 0..<200 {
                context.writeAndFlush(NIOAny(ByteBuffer(repeating: 1, count: 1_000)), promise: nil)
                usleep(50)
                stillActive.withLock { $0.append(context.channel.isActive) }
            }
            #expect(stillActive.withLock { $0.contains(false) })
        } _: { fixture in
            let client = try fixture.connect()
            client.send("x")
            client.close()
            let notes = await fixture.notes.all()
            // Not within the read, whose writes failed.
            #expect(notes.prefix(2) == [.active, .read(1)])
            #expect(notes.last == .inactive)
        }
    }

    /// A server may answer a request that it does not want whole, and be gone.
    @Test func whatCameBeforeAWriteFailedIsDelivered() async throws {
        let isGone = DispatchSemaphore(value: 0)
        try await ChannelFixture.run { note, context, _ in
            guard note == .active else { return }
            isGone.wait()
            for _ in 0..<1_000 where context.channel.isActive {
                context.writeAndFlush(NIOAny(ByteBuffer(string: "x")), promise: nil)
                usleep(100)
            }
        } _: { fixture in
            let client = try fixture.connect()
            client.send("answer")
            client.close()
            isGone.signal()
            #expect(await fixture.notes.all() == [.active, .read(6), .readComplete, .error, .inactive])
        }
    }

    @Test func resetOnCloseIsAResetForThePeer() async throws {
        try await ChannelFixture.run { note, context, _ in
            guard case .read = note else { return }
            (context.channel as? EpollChannel)?.resetOnClose()
            context.close(promise: nil)
        } _: { fixture in
            let client = try fixture.connect()
            client.send("x")
            #expect(await client.readToEnd().error == ECONNRESET)
            client.close()
        }
    }

    @Test func writesAfterTheEndFail() async throws {
        let outcomes = Mutex<[Bool]>([])
        try await ChannelFixture.run { note, context, _ in
            guard note == .active else { return }
            for isClosed in [false, true] {
                let promise = context.eventLoop.makePromise(of: Void.self)
                promise.futureResult.whenComplete { result in
                    outcomes.withLock { $0.append((try? result.get()) != nil) }
                }
                if isClosed { context.close(promise: nil) }
                context.channel.writeAndFlush(ByteBuffer(string: "x"), promise: promise)
            }
        } _: { fixture in
            let client = try fixture.connect()
            _ = await client.readToEnd()
            _ = await fixture.notes.all()
            #expect(outcomes.withLock { $0 } == [true, false])
            client.close()
        }
    }

    @Test func closeFutureIsDoneWhenTheHandlersAreGone() async throws {
        let closed = Mutex<EventLoopFuture<Void>?>(nil)
        try await ChannelFixture.run { note, context, _ in
            guard note == .active else { return }
            closed.withLock { $0 = context.channel.closeFuture }
            context.close(promise: nil)
        } _: { fixture in
            let client = try fixture.connect()
            _ = await fixture.notes.all()
            let future = try #require(closed.withLock { $0 })
            try await future.get()
            client.close()
        }
    }

    @Test func loopThatEndsClosesItsChannels() async throws {
        var notes: AsyncStream<ChannelNote>?
        var client: BlockingSocket?
        try await ChannelFixture.run { fixture in
            client = try fixture.connect()
            _ = await fixture.notes.upTo(.active)
            notes = fixture.notes
        }
        #expect(await notes?.all().last == .inactive)
        #expect(await client?.readToEnd().bytes.isEmpty == true)
        client?.close()
    }
}
