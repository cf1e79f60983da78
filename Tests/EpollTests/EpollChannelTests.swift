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
            #expect(notes.prefix(2) == [.writable(false), .active])
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

    /// Through the pipeline, or past it.
    @Test(arguments: [false, true])
    func pausedChannelReadsNothingUntilItGoesOn(isDirect: Bool) async throws {
        let (direct, note) = AsyncStream.makeStream(of: ChannelNote.self)
        let paused = Mutex<EpollChannel?>(nil)
        try await ChannelFixture.run { event, context, _ in
            guard event == .active, let channel = context.channel as? EpollChannel else { return }
            if isDirect { channel.deliver(to: DirectHandlerTests.DirectEcho(channel, note)) }
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
            let notes = isDirect ? direct : fixture.notes
            #expect(await notes.upTo(.readComplete) == [.read(5), .readComplete])
            client.close()
        }
    }

    /// Only the end shows that the client is gone, so that what it sent before is read in spite of the pause.
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

    /// Writes to a peer that is gone: its reset makes the second write fail.
    private static func failToWrite(_ context: ChannelHandlerContext) {
        guard let channel = context.channel as? EpollChannel else { return }
        context.writeAndFlush(NIOAny(ByteBuffer(string: "x")), promise: nil)
        var reset = pollfd(fd: channel.descriptor, events: 0, revents: 0)
        poll(&reset, 1, 60_000)
        context.writeAndFlush(NIOAny(ByteBuffer(string: "x")), promise: nil)
        #expect(!channel.isActive)
    }

    @Test func failingWriteClosesInTheNextTurn() async throws {
        let isGone = DispatchSemaphore(value: 0)
        try await ChannelFixture.run { note, context, _ in
            guard case .read = note else { return }
            isGone.wait()
            Self.failToWrite(context)
        } _: { fixture in
            let client = try fixture.connect()
            client.send("x")
            client.close()
            isGone.signal()
            // Not within the read, whose write failed.
            let notes = await fixture.notes.all()
            #expect(notes.prefix(2) == [.active, .read(1)] && notes.suffix(2) == [.error, .inactive])
        }
    }

    /// A server may respond before it has the whole request, and close.
    @Test func whatCameBeforeAWriteFailedIsDelivered() async throws {
        let isGone = DispatchSemaphore(value: 0)
        try await ChannelFixture.run { note, context, _ in
            guard note == .active else { return }
            isGone.wait()
            Self.failToWrite(context)
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
        let (outcomes, outcome) = AsyncStream.makeStream(of: Bool.self)
        try await ChannelFixture.run { note, context, _ in
            guard note == .active else { return }
            for isClosed in [false, true] {
                let promise = context.eventLoop.makePromise(of: Void.self)
                promise.futureResult.whenComplete { outcome.yield((try? $0.get()) != nil) }
                if isClosed { context.close(promise: nil) }
                context.channel.writeAndFlush(ByteBuffer(string: "x"), promise: promise)
            }
        } _: { fixture in
            let client = try fixture.connect()
            var ended = outcomes.makeAsyncIterator()
            #expect(await ended.next() == true)
            #expect(await ended.next() == false)
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
