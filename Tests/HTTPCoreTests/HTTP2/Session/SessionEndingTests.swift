import TestSupport
import Testing

@testable import HTTPCore

@Suite struct SessionEndingTests {
    @Test func drainRefusesNewStreamsAndLetsOldOnesEnd() {
        let house = SessionHouse.opened(.server)
        _ = house.feed(Frame.headers(1, endStream: false) + Frame.headers(3))
        house.session.goAway(code: .noError)
        house.session.goAway(code: .noError)
        let frames = house.written()
        #expect(frames.goAways == [.noError])
        #expect(frames.last?.word == 3)
        #expect(house.session.isDrained == false)
        #expect(house.feed(Frame.headers(5)) == [])
        #expect(house.written().resets(5) == [.refusedStream])
        #expect(house.feed(Frame.data(1, 1, endStream: true)).count == 1)
        house.respond(1, endStream: true)
        house.respond(3, endStream: true)
        #expect(house.session.isDrained == true)
    }

    @Test func connectionErrorSaysHowFarWeCame() {
        let house = SessionHouse.opened(.server)
        _ = house.feed(Frame.headers(7))
        #expect(house.feed(Frame.ping([]) + Frame.headers(9)) == [.connectionError(.frameSizeError)])
        let frames = house.written()
        #expect(frames.goAways == [.frameSizeError])
        #expect(frames.first?.word == 7)
        // Nothing goes on.
        house.respond(7)
        house.sendData(7, 5)
        house.session.reset(stream: 7, code: .cancel)
        house.session.goAway(code: .noError)
        #expect(house.feed(Frame.headers(11)) == [])
        #expect(house.written() == [])
        #expect(house.session.openStreams == 0)
    }

    @Test func serversGoAwayGivesBackStreamsItDidNotTake() {
        let house = SessionHouse.opened(.client)
        for stream: UInt32 in [1, 3, 5] {
            #expect(house.session.openStream() == stream)
            house.sendHeaders(stream, Frame.request, endStream: true)
        }
        #expect(house.feed(Frame.goAway(3)) == [.goAway(3, .noError), .reset(5, .refusedStream, byPeer: true)])
        #expect(house.session.openStream() == nil)
        #expect(house.session.openStreams == 2)
        let seen = house.feed(Frame.headers(3, [(":status", "204")]))
        #expect(seen == [.headers(3, endStream: true, .initial, [":status: 204"])])
        #expect(house.session.isDrained == false)
        _ = house.feed(Frame.headers(1, [(":status", "204")]))
        #expect(house.session.isDrained == true)
    }
}
