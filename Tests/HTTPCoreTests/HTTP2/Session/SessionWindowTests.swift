import NIOCore
import TestSupport
import Testing

@testable import HTTPCore

@Suite struct SessionWindowTests {
    private func answering(_ settings: [(UInt16, UInt32)]) -> SessionProbe {
        let fixture = SessionProbe.opened(.server)
        _ = fixture.feed(Frame.settings(settings) + Frame.headers(1))
        fixture.respond(1)
        _ = fixture.written()
        return fixture
    }

    // MARK: What we may send

    @Test func dataStaysWithinStreamWindow() {
        let fixture = answering([(4, 1)])
        fixture.sendData(1, 3, endStream: true)
        #expect(fixture.written() == [Frame(kind: 0, flags: 0, stream: 1, payload: [7])])
        #expect(fixture.session.pendingBytes(stream: 1) == 2)
        #expect(fixture.feed(Frame.windowUpdate(1, 1)) == [])
        #expect(fixture.written().map(\.endsStream) == [false])
        #expect(fixture.feed(Frame.windowUpdate(1, 9)) == [])
        #expect(fixture.written().map(\.endsStream) == [true])
        #expect(fixture.session.openStreams == 0)
    }

    @Test func dataStaysWithinConnectionWindow() {
        let fixture = answering([(4, 1 << 20)])
        fixture.sendData(1, 70_000)
        #expect(fixture.written().dataLength(1) == 65_535)
        _ = fixture.feed(Frame.windowUpdate(1, 1000))
        #expect(fixture.written() == [])
        _ = fixture.feed(Frame.windowUpdate(0, 1000))
        #expect(fixture.written().dataLength(1) == 1000)
        // It is one for all streams.
        _ = fixture.feed(Frame.headers(3))
        fixture.respond(3)
        fixture.sendData(3, 1000)
        #expect(fixture.written().dataLength(3) == 0)
        _ = fixture.feed(Frame.windowUpdate(0, 5465))
        #expect(fixture.session.pendingBytes(stream: 1) == 0)
        #expect(fixture.session.pendingBytes(stream: 3) == 0)
    }

    @Test func largestWindowIsAcceptedAndReservedBitIgnored() {
        let largest: UInt32 = 0x7fff_ffff
        let fixture = answering([(4, 0)])
        #expect(fixture.feed(Frame.windowUpdate(0, largest - 65_535) + Frame.windowUpdate(1, largest)) == [])
        fixture.sendData(1, 5)
        #expect(fixture.written().dataLength(1) == 5)
        let other = answering([(4, 0)])
        other.sendData(1, 5)
        #expect(other.feed(Frame.windowUpdate(1, 1 << 31 | 1)) == [])
        #expect(other.written().dataLength(1) == 1)
    }

    @Test func settingsMayMakeOpenWindowsNegative() {
        let fixture = answering([(4, 100)])
        fixture.sendData(1, 150)
        #expect(fixture.written().dataLength(1) == 100)
        _ = fixture.feed(Frame.settings([(4, 10)]))
        _ = fixture.feed(Frame.windowUpdate(1, 90))
        #expect(fixture.written().dataLength(1) == 0)
        _ = fixture.feed(Frame.windowUpdate(1, 1))
        #expect(fixture.written().dataLength(1) == 1)
        _ = fixture.feed(Frame.settings([(4, 30)]))
        #expect(fixture.written().dataLength(1) == 20)
    }

    @Test func emptyEndNeedsNoWindow() {
        let fixture = answering([(4, 0)])
        fixture.sendData(1, 0, endStream: true)
        #expect(fixture.written() == [Frame(kind: 0, flags: 1, stream: 1, payload: [])])
    }

    @Test func zeroWindowUpdateIsRefused() {
        let fixture = answering([])
        #expect(fixture.feed(Frame.windowUpdate(1, 0)) == [.reset(1, .protocolError, byPeer: false)])
        #expect(fixture.feed(Frame.windowUpdate(0, 0)) == [.connectionError(.protocolError)])
    }

    @Test func windowAboveMaximumIsRefused() {
        let largest: UInt32 = 0x7fff_ffff
        let fixture = answering([])
        #expect(fixture.feed(Frame.windowUpdate(1, largest)) == [.reset(1, .flowControlError, byPeer: false)])
        #expect(fixture.feed(Frame.windowUpdate(0, largest)) == [.connectionError(.flowControlError)])
        let other = answering([])
        #expect(
            other.feed(Frame.windowUpdate(1, 10) + Frame.settings([(4, largest)]))
                == [.connectionError(.flowControlError)]
        )
    }

    // MARK: What the peer may send

    @Test func peerDataBeyondWindowIsRefused() {
        let fixture = SessionProbe.opened(.server)
        let full = [16_384, 16_384, 16_384, 16_383].flatMap { Frame.data(1, $0) }
        #expect(fixture.feed(Frame.headers(1, endStream: false) + full).count == 5)
        #expect(fixture.feed(Frame.data(1, 1)) == [.reset(1, .flowControlError, byPeer: false)])

        var limits = HTTP2Limits()
        limits.connectionWindow = 65_535
        limits.streamWindow = 1 << 20
        let other = SessionProbe.opened(.server, limits)
        #expect(other.feed(Frame.headers(1, endStream: false) + full).count == 5)
        #expect(other.feed(Frame.data(1, 1)) == [.connectionError(.flowControlError)])
    }

    @Test func windowIsReturnedInHalves() {
        var limits = HTTP2Limits()
        limits.connectionWindow = 65_535
        let fixture = SessionProbe.opened(.server, limits)
        _ = fixture.feed(Frame.headers(1, endStream: false) + Frame.data(1, 16_384) + Frame.data(1, 16_384))
        fixture.session.consumed(stream: 1, 32_767)
        #expect(fixture.written() == [])
        fixture.session.consumed(stream: 1, 1)
        let frames = fixture.written()
        #expect(frames.windowUpdates(1) == [32_768])
        #expect(frames.windowUpdates(0) == [32_768])
        // No more than was received.
        fixture.session.consumed(stream: 1, 1_000_000)
        #expect(fixture.written() == [])
    }

    @Test func endedStreamReturnsOnlyConnectionWindow() {
        var limits = HTTP2Limits()
        limits.connectionWindow = 65_535
        let fixture = SessionProbe.opened(.server, limits)
        let data = (0..<3).flatMap { _ in Frame.data(1, 16_384) }
        _ = fixture.feed(Frame.headers(1, endStream: false) + data + Frame.data(1, 0, endStream: true))
        fixture.session.consumed(stream: 1, 49_152)
        let frames = fixture.written()
        #expect(frames.windowUpdates(1) == [])
        #expect(frames.windowUpdates(0) == [49_152])
    }

    @Test func removedStreamReturnsItsShare() {
        var limits = HTTP2Limits()
        limits.connectionWindow = 65_535
        let bytes = Frame.headers(1, endStream: false) + Frame.data(1, 16_384) + Frame.data(1, 16_384)
        let fixture = SessionProbe.opened(.server, limits)
        _ = fixture.feed(bytes + Frame.reset(1))
        #expect(fixture.written().windowUpdates(0) == [32_768])
        fixture.session.consumed(stream: 1, 32_768)
        #expect(fixture.written() == [])

        let other = SessionProbe.opened(.server, limits)
        _ = other.feed(bytes)
        other.session.reset(stream: 1, code: .cancel)
        #expect(other.written().windowUpdates(0) == [32_768])
        // What was still under way is given back by itself.
        _ = other.feed(Frame.data(1, 16_384) + Frame.data(1, 16_384))
        #expect(other.written().windowUpdates(0) == [32_768])
    }

    @Test func unwantedBodyIsDroppedUntilResponseEnds() {
        var limits = HTTP2Limits()
        limits.connectionWindow = 65_535
        let fixture = SessionProbe.opened(.server, limits)
        _ = fixture.feed(Frame.headers(1, endStream: false))
        fixture.session.stopReading(stream: 1)
        #expect(fixture.feed(Frame.data(1, 16_384) + Frame.data(1, 16_384)) == [])
        let frames = fixture.written()
        #expect(frames.windowUpdates(0) == [32_768])
        #expect(frames.windowUpdates(1) == [])
        fixture.respond(1)
        fixture.sendData(1, 5, endStream: true)
        #expect(fixture.written().map(\.kind) == [1, 0, 3])
        #expect(fixture.session.openStreams == 0)
    }
}
