import TestSupport
import Testing

@testable import HTTPCore

@Suite struct SessionClientTests {
    private func asked() -> SessionProbe {
        let fixture = SessionProbe.opened(.client)
        #expect(fixture.session.openStream() == 1)
        fixture.sendHeaders(1, Frame.request, endStream: true)
        return fixture
    }

    @Test func interimResponsesPrecedeFinalOne() {
        let bytes =
            Frame.headers(1, endStream: false, [(":status", "103"), ("link", "x")])
            + Frame.headers(1, endStream: false, [(":status", "200")]) + Frame.data(1, 1)
            + Frame.headers(1, [("x", "y")])
        #expect(
            asked().feed(bytes) == [
                .headers(1, endStream: false, .initial, [":status: 103", "link: x"]),
                .headers(1, endStream: false, .initial, [":status: 200"]),
                .data(1, [5], flowControlled: 1, endStream: false), .headers(1, endStream: true, .trailers, ["x: y"]),
            ]
        )
    }

    @Test func interimResponseMustNotEndStream() {
        #expect(asked().feed(Frame.headers(1, [(":status", "100")])) == [.reset(1, .protocolError, byPeer: false)])
    }

    @Test func dataMustFollowHead() {
        #expect(asked().feed(Frame.data(1, 1)) == [.reset(1, .protocolError, byPeer: false)])
        let seen = asked().feed(Frame.headers(1, endStream: false, [(":status", "100")]) + Frame.data(1, 1))
        #expect(seen.last == .reset(1, .protocolError, byPeer: false))
    }

    @Test func peerStreamLimitIsObserved() {
        let fixture = SessionProbe.opened(.client)
        _ = fixture.feed(Frame.settings([(3, 2)]))
        #expect(fixture.session.openStream() == 1)
        #expect(fixture.session.openStream() == 3)
        #expect(fixture.session.openStream() == nil)
        fixture.sendHeaders(1, Frame.request, endStream: true)
        _ = fixture.feed(Frame.headers(1, [(":status", "200")]))
        #expect(fixture.session.availableStreams == 1)
        #expect(fixture.session.openStream() == 5)
    }

    @Test func pushIsRefused() {
        for frame in [Frame.make(5, 4, 1, [0, 0, 0, 2]), Frame.headers(2)] {
            #expect(asked().feed(frame) == [.connectionError(.protocolError)])
        }
    }

    @Test func backendResetsAreNotFlood() {
        let fixture = SessionProbe.opened(.client)
        for _ in 0..<2000 {
            guard let stream = fixture.session.openStream() else { return #expect(Bool(false)) }
            fixture.sendHeaders(stream, Frame.request, endStream: true)
            #expect(fixture.feed(Frame.reset(stream, .internalError)) == [.reset(stream, .internalError, byPeer: true)])
        }
    }
}
