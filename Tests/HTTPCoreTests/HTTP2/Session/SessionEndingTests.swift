import TestSupport
import Testing

@testable import HTTPCore

@Suite struct SessionEndingTests {
    @Test func drainRefusesNewStreamsAndCompletesOpenOnes() {
        let fixture = SessionProbe.opened(.server)
        _ = fixture.feed(Frame.headers(1, endStream: false) + Frame.headers(3))
        fixture.session.goAway(code: .noError)
        fixture.session.goAway(code: .noError)
        let frames = fixture.written()
        #expect(frames.goAways == [.noError])
        #expect(frames.last?.word == 3)
        #expect(fixture.session.isDrained == false)
        #expect(fixture.feed(Frame.headers(5)) == [])
        #expect(fixture.written().resets(5) == [.refusedStream])
        #expect(fixture.feed(Frame.data(1, 1, endStream: true)).count == 1)
        fixture.respond(1, endStream: true)
        fixture.respond(3, endStream: true)
        #expect(fixture.session.isDrained == true)
    }

    @Test func connectionErrorNamesLastStream() {
        let fixture = SessionProbe.opened(.server)
        _ = fixture.feed(Frame.headers(7))
        #expect(fixture.feed(Frame.ping([]) + Frame.headers(9)) == [.connectionError(.frameSizeError)])
        let frames = fixture.written()
        #expect(frames.goAways == [.frameSizeError])
        #expect(frames.first?.word == 7)
        // Nothing goes on.
        fixture.respond(7)
        fixture.sendData(7, 5)
        fixture.session.reset(stream: 7, code: .cancel)
        fixture.session.goAway(code: .noError)
        #expect(fixture.feed(Frame.headers(11)) == [])
        #expect(fixture.written() == [])
        #expect(fixture.session.openStreams == 0)
    }

    @Test func goAwayResetsUnprocessedStreams() {
        let fixture = SessionProbe.opened(.client)
        for stream: UInt32 in [1, 3, 5] {
            #expect(fixture.session.openStream() == stream)
            fixture.sendHeaders(stream, Frame.request, endStream: true)
        }
        #expect(fixture.feed(Frame.goAway(3)) == [.goAway(3, .noError), .reset(5, .refusedStream, byPeer: true)])
        #expect(fixture.session.openStream() == nil)
        #expect(fixture.session.openStreams == 2)
        let seen = fixture.feed(Frame.headers(3, [(":status", "204")]))
        #expect(seen == [.headers(3, endStream: true, .initial, [":status: 204"])])
        #expect(fixture.session.isDrained == false)
        _ = fixture.feed(Frame.headers(1, [(":status", "204")]))
        #expect(fixture.session.isDrained == true)
    }
}
