import NIOCore
import Testing

@testable import Epoll

/// Bytes past the pipeline.
@Suite struct DirectHandlerTests {
    /// Takes over from the pipeline once the channel is active, and echoes.
    final class DirectEcho: DirectHandler {
        private let channel: EpollChannel
        private let notes: AsyncStream<ChannelNote>.Continuation

        init(_ channel: EpollChannel, _ notes: AsyncStream<ChannelNote>.Continuation) {
            self.channel = channel
            self.notes = notes
        }

        func received(_ bytes: ByteBuffer) {
            notes.yield(.read(bytes.readableBytes))
            channel.sendDirectly(bytes)
        }

        func receivedAll() { notes.yield(.readComplete) }
    }

    @Test func bytesTakeTheDirectWayAndTheEndThePipeline() async throws {
        let (direct, note) = AsyncStream.makeStream(of: ChannelNote.self)
        try await ChannelFixture.run { event, context, _ in
            guard event == .active, let channel = context.channel as? EpollChannel else { return }
            channel.deliver(to: DirectEcho(channel, note))
        } _: { fixture in
            let client = try fixture.connect()
            client.send("echo")
            #expect(await direct.upTo(.readComplete) == [.read(4), .readComplete])
            client.shutDown()
            #expect(await client.readToEnd().bytes == Array("echo".utf8))
            client.close()
            #expect(await fixture.notes.all() == [.active, .inactive])
        }
    }

    /// Output that the socket does not accept waits in the channel; the handler gets the usual events.
    @Test func largeOutputGoesOnWhenTheSocketIsNotFullAnyMore() async throws {
        let large = ByteBuffer(repeating: 7, count: 8 << 20)
        try await ChannelFixture.run { event, context, _ in
            guard event == .active, let channel = context.channel as? EpollChannel else { return }
            channel.sendDirectly(large)
            channel.writeDirectly(ByteBuffer(string: "end"))
            channel.sendDirectly(large)
            context.close(mode: .output, promise: nil)
        } _: { fixture in
            let client = try fixture.connect()
            let (bytes, error) = await client.readToEnd()
            #expect(bytes.count == 2 * large.readableBytes + 3 && error == 0)
            #expect(bytes[large.readableBytes..<(large.readableBytes + 3)].elementsEqual("end".utf8))
            client.close()
            let notes = await fixture.notes.all()
            #expect(notes.first == .writable(false) && notes.contains(.writable(true)))
        }
    }

    @Test func writesAfterTheEndAreDropped() async throws {
        let (outcomes, outcome) = AsyncStream.makeStream(of: Bool.self)
        try await ChannelFixture.run { event, context, _ in
            guard event == .active, let channel = context.channel as? EpollChannel else { return }
            channel.sendDirectly(ByteBuffer(string: "x"))
            context.close(promise: nil)
            channel.deliver(to: DirectEcho(channel, AsyncStream.makeStream(of: ChannelNote.self).continuation))
            channel.sendDirectly(ByteBuffer(string: "y"))
            channel.writeDirectly(ByteBuffer(string: "y"))
            channel.flushDirectly()
            outcome.yield(channel.output.isEmpty && channel.direct == nil)
        } _: { fixture in
            let client = try fixture.connect()
            #expect(await client.readToEnd().bytes == Array("x".utf8))
            var ended = outcomes.makeAsyncIterator()
            #expect(await ended.next() == true)
            client.close()
        }
    }

    /// A send after the end of the output is dropped, and sends what was written before.
    @Test func sendAfterOutputEndsFlushesWhatWaits() async throws {
        try await ChannelFixture.run { event, context, _ in
            guard event == .active, let channel = context.channel as? EpollChannel else { return }
            channel.writeDirectly(ByteBuffer(string: "x"))
            context.close(mode: .output, promise: nil)
            channel.sendDirectly(ByteBuffer(string: "y"))
        } _: { fixture in
            let client = try fixture.connect()
            #expect(await client.readToEnd().bytes == Array("x".utf8))
            client.close()
        }
    }
}
