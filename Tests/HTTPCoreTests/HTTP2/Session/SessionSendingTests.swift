import NIOCore
import TestSupport
import Testing

@testable import HTTPCore

@Suite struct SessionSendingTests {
    private func opened(_ streams: [UInt32], window: UInt32 = 1 << 20, _ limits: HTTP2Limits = HTTP2Limits())
        -> SessionProbe
    {
        let fixture = SessionProbe.opened(.server, limits)
        _ = fixture.feed(Frame.settings([(4, window)]) + Frame.windowUpdate(0, 1 << 20))
        for stream in streams {
            _ = fixture.feed(Frame.headers(stream))
            fixture.respond(stream)
        }
        _ = fixture.written()
        return fixture
    }

    @Test func largeDataIsSplitIntoFrames() {
        let fixture = opened([1])
        fixture.sendData(1, 40_000, endStream: true)
        #expect(fixture.written().map(\.payload.count) == [16_384, 16_384, 7232])
    }

    @Test func streamsTakeTurns() {
        var limits = HTTP2Limits()
        limits.sending.outputStep = 100_000
        let fixture = opened([1, 3, 5], limits)
        fixture.session.writabilityChanged(false)
        for stream: UInt32 in [1, 3, 5] { fixture.sendData(stream, 40_000, endStream: stream == 3) }
        #expect(fixture.events() == [])
        #expect(fixture.written() == [])
        fixture.session.writabilityChanged(true)
        #expect(fixture.events() == [])
        #expect(fixture.written().map(\.stream) == [1, 3, 5, 1, 3, 5, 1])
        #expect(fixture.session.hasMoreOutput == true)
        #expect(fixture.events() == [])
        #expect(fixture.written().map(\.stream) == [3, 5])
        #expect(fixture.session.hasMoreOutput == false)
        #expect(fixture.session.openStreams == 2)
    }

    @Test func newDataDoesNotOvertakeQueuedData() {
        let fixture = opened([1, 3])
        fixture.session.writabilityChanged(false)
        fixture.sendData(1, 10)
        fixture.session.writabilityChanged(true)
        fixture.sendData(3, 10)
        #expect(fixture.events() == [])
        #expect(fixture.written().map(\.stream) == [1, 3])
    }

    @Test func queuedDataKeepsOrder() {
        let fixture = opened([1], window: 3)
        let pieces: [[UInt8]] = [[1, 2], [3, 4, 5], [6], [7, 8, 9]]
        for piece in pieces {
            fixture.session.sendData(stream: 1, ByteBuffer(bytes: piece), endStream: piece == [7, 8, 9])
        }
        for _ in 0..<3 { _ = fixture.feed(Frame.windowUpdate(1, 2)) }
        #expect(fixture.written().flatMap(\.payload) == [1, 2, 3, 4, 5, 6, 7, 8, 9])
    }

    @Test func congestionAndItsEndAreReported() {
        let fixture = opened([1], window: 100)
        fixture.sendData(1, 65_636)
        #expect(fixture.session.isCongested(stream: 1) == false)
        fixture.sendData(1, 1)
        #expect(fixture.session.isCongested(stream: 1) == true)
        #expect(fixture.feed(Frame.windowUpdate(1, 49_152)) == [])
        #expect(fixture.session.isCongested(stream: 1) == true)
        #expect(fixture.feed(Frame.windowUpdate(1, 1)) == [.writable(1)])
        #expect(fixture.session.isCongested(stream: 1) == false)
    }

    @Test func trailersFollowQueuedData() {
        let fixture = opened([1], window: 2)
        fixture.sendData(1, 3)
        fixture.session.sendTrailers(stream: 1) { block in
            block.append(name: Array("Grpc-Status".utf8).span, value: Array("0".utf8).span)
        }
        fixture.sendData(1, 9, endStream: true)
        #expect(fixture.written().map(\.payload.count) == [2])
        _ = fixture.feed(Frame.windowUpdate(1, 10))
        let frames = fixture.written()
        #expect(frames.map(\.kind) == [0, 1])
        #expect(frames.dataLength(1) == 1)
        #expect(frames.last?.flags == 5)
        #expect(frames.last?.payload == [0, 11] + Array("grpc-status".utf8) + [1] + Array("0".utf8))
        #expect(fixture.session.openStreams == 0)
    }

    @Test func longTrailersRoundTrip() {
        let server = opened([1])
        let value = String(repeating: "v", count: 20_000)
        server.session.sendTrailers(stream: 1) { block in
            block.append(name: Array("x".utf8).span, value: Array(value.utf8).span)
        }
        let client = SessionProbe.opened(.client)
        #expect(client.session.openStream() == 1)
        let head = Frame.headers(1, endStream: false, [(":status", "200")])
        #expect(
            client.feed(head + server.takeOutput()).last == .headers(1, endStream: true, .trailers, ["x: \(value)"])
        )
    }

    @Test func resetDropsQueuedData() {
        let fixture = opened([1, 3], window: 2)
        fixture.sendData(1, 100)
        fixture.session.reset(stream: 1, code: .internalError)
        fixture.session.reset(stream: 1, code: .internalError)
        fixture.sendData(1, 5)
        fixture.sendHeaders(1, [("x", "y")], endStream: true)
        #expect(fixture.feed(Frame.windowUpdate(1, 1000)) == [])
        let frames = fixture.written()
        #expect(frames.map(\.kind) == [0, 3])
        #expect(fixture.session.openStreams == 1)
    }

    @Test func nothingIsSentAfterEnd() {
        let fixture = opened([])
        _ = fixture.feed(Frame.headers(1, endStream: false))
        fixture.respond(1, endStream: true)
        fixture.sendData(1, 5)
        fixture.respond(1)
        fixture.session.sendTrailers(stream: 1) { _ in }
        #expect(fixture.written().map(\.kind) == [1])
    }
}
