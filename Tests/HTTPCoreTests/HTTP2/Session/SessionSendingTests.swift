import NIOCore
import TestSupport
import Testing

@testable import HTTPCore

@Suite struct SessionSendingTests {
    private func opened(_ streams: [UInt32], window: UInt32 = 1 << 20, _ limits: HTTP2Limits = HTTP2Limits())
        -> SessionHouse
    {
        let house = SessionHouse.opened(.server, limits)
        _ = house.feed(Frame.settings([(4, window)]) + Frame.windowUpdate(0, 1 << 20))
        for stream in streams {
            _ = house.feed(Frame.headers(stream))
            house.respond(stream)
        }
        _ = house.written()
        return house
    }

    @Test func largeDataIsCutToFrames() {
        let house = opened([1])
        house.sendData(1, 40_000, endStream: true)
        #expect(house.written().map(\.payload.count) == [16_384, 16_384, 7232])
    }

    @Test func streamsTakeTurns() {
        var limits = HTTP2Limits()
        limits.sending.outputStep = 100_000
        let house = opened([1, 3, 5], limits)
        house.session.writabilityChanged(false)
        for stream: UInt32 in [1, 3, 5] { house.sendData(stream, 40_000, endStream: stream == 3) }
        #expect(house.events() == [])
        #expect(house.written() == [])
        house.session.writabilityChanged(true)
        #expect(house.events() == [])
        #expect(house.written().map(\.stream) == [1, 3, 5, 1, 3, 5, 1])
        #expect(house.session.hasMoreOutput == true)
        #expect(house.events() == [])
        #expect(house.written().map(\.stream) == [3, 5])
        #expect(house.session.hasMoreOutput == false)
        #expect(house.session.openStreams == 2)
    }

    @Test func newDataDoesNotPassBeforeQueuedData() {
        let house = opened([1, 3])
        house.session.writabilityChanged(false)
        house.sendData(1, 10)
        house.session.writabilityChanged(true)
        house.sendData(3, 10)
        #expect(house.events() == [])
        #expect(house.written().map(\.stream) == [1, 3])
    }

    @Test func queuedPiecesKeepTheirOrder() {
        let house = opened([1], window: 3)
        let pieces: [[UInt8]] = [[1, 2], [3, 4, 5], [6], [7, 8, 9]]
        for piece in pieces {
            house.session.sendData(stream: 1, ByteBuffer(bytes: piece), endStream: piece == [7, 8, 9])
        }
        for _ in 0..<3 { _ = house.feed(Frame.windowUpdate(1, 2)) }
        #expect(house.written().flatMap(\.payload) == [1, 2, 3, 4, 5, 6, 7, 8, 9])
    }

    @Test func congestionIsToldAndItsEndToo() {
        let house = opened([1], window: 100)
        house.sendData(1, 65_636)
        #expect(house.session.isCongested(stream: 1) == false)
        house.sendData(1, 1)
        #expect(house.session.isCongested(stream: 1) == true)
        #expect(house.feed(Frame.windowUpdate(1, 49_152)) == [])
        #expect(house.session.isCongested(stream: 1) == true)
        #expect(house.feed(Frame.windowUpdate(1, 1)) == [.writable(1)])
        #expect(house.session.isCongested(stream: 1) == false)
    }

    @Test func trailersFollowTheQueue() {
        let house = opened([1], window: 2)
        house.sendData(1, 3)
        house.session.sendTrailers(stream: 1) { block in
            block.append(name: Array("Grpc-Status".utf8).span, value: Array("0".utf8).span)
        }
        house.sendData(1, 9, endStream: true)
        #expect(house.written().map(\.payload.count) == [2])
        _ = house.feed(Frame.windowUpdate(1, 10))
        let frames = house.written()
        #expect(frames.map(\.kind) == [0, 1])
        #expect(frames.dataLength(1) == 1)
        #expect(frames.last?.flags == 5)
        #expect(frames.last?.payload == [0, 11] + Array("grpc-status".utf8) + [1] + Array("0".utf8))
        #expect(house.session.openStreams == 0)
    }

    @Test func longTrailersAreReadAsTheyWereWritten() {
        let server = opened([1])
        let value = String(repeating: "v", count: 20_000)
        server.session.sendTrailers(stream: 1) { block in
            block.append(name: Array("x".utf8).span, value: Array(value.utf8).span)
        }
        let client = SessionHouse.opened(.client)
        #expect(client.session.openStream() == 1)
        let head = Frame.headers(1, endStream: false, [(":status", "200")])
        #expect(
            client.feed(head + server.takeOutput()).last == .headers(1, endStream: true, .trailers, ["x: \(value)"])
        )
    }

    @Test func resetDropsWhatIsQueued() {
        let house = opened([1, 3], window: 2)
        house.sendData(1, 100)
        house.session.reset(stream: 1, code: .internalError)
        house.session.reset(stream: 1, code: .internalError)
        house.sendData(1, 5)
        house.sendHeaders(1, [("x", "y")], endStream: true)
        #expect(house.feed(Frame.windowUpdate(1, 1000)) == [])
        let frames = house.written()
        #expect(frames.map(\.kind) == [0, 3])
        #expect(house.session.openStreams == 1)
    }

    @Test func nothingIsSentAfterTheEnd() {
        let house = opened([])
        _ = house.feed(Frame.headers(1, endStream: false))
        house.respond(1, endStream: true)
        house.sendData(1, 5)
        house.respond(1)
        house.session.sendTrailers(stream: 1) { _ in }
        #expect(house.written().map(\.kind) == [1])
    }
}
