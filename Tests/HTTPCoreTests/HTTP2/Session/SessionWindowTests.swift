import NIOCore
import TestSupport
import Testing

@testable import HTTPCore

@Suite struct SessionWindowTests {
    private func answering(_ settings: [(UInt16, UInt32)]) -> SessionHouse {
        let house = SessionHouse.opened(.server)
        _ = house.feed(Frame.settings(settings) + Frame.headers(1))
        house.respond(1)
        _ = house.written()
        return house
    }

    // MARK: What we may send

    @Test func dataStaysWithinTheStreamsWindow() {
        let house = answering([(4, 1)])
        house.sendData(1, 3, endStream: true)
        #expect(house.written() == [Frame(kind: 0, flags: 0, stream: 1, payload: [7])])
        #expect(house.session.pendingBytes(stream: 1) == 2)
        #expect(house.feed(Frame.windowUpdate(1, 1)) == [])
        #expect(house.written().map(\.endsStream) == [false])
        #expect(house.feed(Frame.windowUpdate(1, 9)) == [])
        #expect(house.written().map(\.endsStream) == [true])
        #expect(house.session.openStreams == 0)
    }

    @Test func dataStaysWithinTheConnectionsWindow() {
        let house = answering([(4, 1 << 20)])
        house.sendData(1, 70_000)
        #expect(house.written().dataLength(1) == 65_535)
        _ = house.feed(Frame.windowUpdate(1, 1000))
        #expect(house.written() == [])
        _ = house.feed(Frame.windowUpdate(0, 1000))
        #expect(house.written().dataLength(1) == 1000)
    }

    @Test func settingsMoveTheWindowsOfOpenStreamsBelowZeroToo() {
        let house = answering([(4, 100)])
        house.sendData(1, 150)
        #expect(house.written().dataLength(1) == 100)
        _ = house.feed(Frame.settings([(4, 10)]))
        _ = house.feed(Frame.windowUpdate(1, 90))
        #expect(house.written().dataLength(1) == 0)
        _ = house.feed(Frame.windowUpdate(1, 1))
        #expect(house.written().dataLength(1) == 1)
        _ = house.feed(Frame.settings([(4, 30)]))
        #expect(house.written().dataLength(1) == 20)
    }

    @Test func emptyEndNeedsNoWindow() {
        let house = answering([(4, 0)])
        house.sendData(1, 0, endStream: true)
        #expect(house.written() == [Frame(kind: 0, flags: 1, stream: 1, payload: [])])
    }

    @Test func windowUpdatesOfNothingAreRefused() {
        let house = answering([])
        #expect(house.feed(Frame.windowUpdate(1, 0)) == [.reset(1, .protocolError, byPeer: false)])
        #expect(house.feed(Frame.windowUpdate(0, 0)) == [.connectionError(.protocolError)])
    }

    @Test func windowsDoNotGrowAboveTheLargest() {
        let largest: UInt32 = 0x7fff_ffff
        let house = answering([])
        #expect(house.feed(Frame.windowUpdate(1, largest)) == [.reset(1, .flowControlError, byPeer: false)])
        #expect(house.feed(Frame.windowUpdate(0, largest)) == [.connectionError(.flowControlError)])
        let other = answering([])
        #expect(
            other.feed(Frame.windowUpdate(1, 10) + Frame.settings([(4, largest)]))
                == [.connectionError(.flowControlError)]
        )
    }

    // MARK: What the peer may send

    @Test func peersDataStaysWithinItsWindows() {
        let house = SessionHouse.opened(.server)
        let full = [16_384, 16_384, 16_384, 16_383].flatMap { Frame.data(1, $0) }
        #expect(house.feed(Frame.headers(1, endStream: false) + full).count == 5)
        #expect(house.feed(Frame.data(1, 1)) == [.reset(1, .flowControlError, byPeer: false)])

        var limits = HTTP2Limits()
        limits.connectionWindow = 65_535
        limits.streamWindow = 1 << 20
        let other = SessionHouse.opened(.server, limits)
        #expect(other.feed(Frame.headers(1, endStream: false) + full).count == 5)
        #expect(other.feed(Frame.data(1, 1)) == [.connectionError(.flowControlError)])
    }

    @Test func windowsAreGivenBackByTheHalf() {
        var limits = HTTP2Limits()
        limits.connectionWindow = 65_535
        let house = SessionHouse.opened(.server, limits)
        _ = house.feed(Frame.headers(1, endStream: false) + Frame.data(1, 16_384) + Frame.data(1, 16_384))
        house.session.consumed(stream: 1, 32_767)
        #expect(house.written() == [])
        house.session.consumed(stream: 1, 1)
        let frames = house.written()
        #expect(frames.windowUpdates(1) == [32_768])
        #expect(frames.windowUpdates(0) == [32_768])
        // No more than was received.
        house.session.consumed(stream: 1, 1_000_000)
        #expect(house.written() == [])
    }

    @Test func endedStreamGetsNoWindowButTheConnectionDoes() {
        var limits = HTTP2Limits()
        limits.connectionWindow = 65_535
        let house = SessionHouse.opened(.server, limits)
        let data = (0..<3).flatMap { _ in Frame.data(1, 16_384) }
        _ = house.feed(Frame.headers(1, endStream: false) + data + Frame.data(1, 0, endStream: true))
        house.session.consumed(stream: 1, 49_152)
        let frames = house.written()
        #expect(frames.windowUpdates(1) == [])
        #expect(frames.windowUpdates(0) == [49_152])
    }

    @Test func streamThatGoesGivesItsShareBack() {
        var limits = HTTP2Limits()
        limits.connectionWindow = 65_535
        let bytes = Frame.headers(1, endStream: false) + Frame.data(1, 16_384) + Frame.data(1, 16_384)
        let house = SessionHouse.opened(.server, limits)
        _ = house.feed(bytes + Frame.reset(1))
        #expect(house.written().windowUpdates(0) == [32_768])
        house.session.consumed(stream: 1, 32_768)
        #expect(house.written() == [])

        let other = SessionHouse.opened(.server, limits)
        _ = other.feed(bytes)
        other.session.reset(stream: 1, code: .cancel)
        #expect(other.written().windowUpdates(0) == [32_768])
        // What was still under way is given back by itself.
        _ = other.feed(Frame.data(1, 16_384) + Frame.data(1, 16_384))
        #expect(other.written().windowUpdates(0) == [32_768])
    }

    @Test func unwantedBodyIsReadPastAndItsStreamEndsWithOurs() {
        var limits = HTTP2Limits()
        limits.connectionWindow = 65_535
        let house = SessionHouse.opened(.server, limits)
        _ = house.feed(Frame.headers(1, endStream: false))
        house.session.stopReading(stream: 1)
        #expect(house.feed(Frame.data(1, 16_384) + Frame.data(1, 16_384)) == [])
        let frames = house.written()
        #expect(frames.windowUpdates(0) == [32_768])
        #expect(frames.windowUpdates(1) == [])
        house.respond(1)
        house.sendData(1, 5, endStream: true)
        #expect(house.written().map(\.kind) == [1, 0, 3])
        #expect(house.session.openStreams == 0)
    }
}
