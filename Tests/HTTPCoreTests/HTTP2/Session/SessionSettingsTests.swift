import TestSupport
import Testing

@testable import HTTPCore

@Suite struct SessionSettingsTests {
    @Test func serverBeginsWithItsSettingsAndWidensItsWindow() {
        var limits = HTTP2Limits()
        limits.enablesConnect = true
        let frames = SessionFixture(.server, limits).written()
        #expect(frames.map(\.kind) == [4, 8])
        #expect(frames.first?.payload == [0, 3, 0, 0, 0, 100, 0, 8, 0, 0, 0, 1, 0, 6, 0, 1, 0, 0])
        #expect(frames.windowUpdates(0) == [(1 << 20) - 65_535])
    }

    @Test func clientBeginsWithItsPrefaceAndRefusesPush() {
        let bytes = SessionFixture(.client).takeOutput()
        #expect(bytes.starts(with: Frame.preface))
        #expect(Frame.read(bytes).first?.payload.prefix(6) == [0, 2, 0, 0, 0, 0])
    }

    @Test func wrongPrefaceEndsTheConnectionAtItsFirstWrongByte() {
        let fixture = SessionFixture(.server)
        #expect(fixture.feed(Array("PRI * HTTP/1".utf8)) == [.connectionError(.protocolError)])
        #expect(fixture.written().goAways == [.protocolError])
        #expect(fixture.feed(Frame.preface) == [])
    }

    @Test func firstFrameMustBeSettings() {
        for frame in [Frame.ping(), Frame.headers(1), Frame.settingsAcknowledgement] {
            let fixture = SessionFixture(.server)
            #expect(fixture.feed(Frame.preface + frame) == [.connectionError(.protocolError)])
        }
        #expect(SessionFixture(.client).feed(Frame.ping()) == [.connectionError(.protocolError)])
    }

    @Test func settingsAreAcknowledgedAndHold() {
        let fixture = SessionFixture.opened(.client)
        let frame = Frame.settings([(3, 7), (4, 1000), (5, 20_000), (6, 9000), (8, 1), (0x99, 5)])
        #expect(fixture.feed(frame) == [.settings])
        #expect(fixture.written() == [Frame(kind: 4, flags: 1, stream: 0, payload: [])])
        #expect(fixture.session.settings.peer.maximumConcurrentStreams == 7)
        #expect(fixture.session.settings.peer.initialWindowSize == 1000)
        #expect(fixture.session.settings.peer.maximumFrameSize == 20_000)
        #expect(fixture.session.settings.peer.maximumHeaderListSize == 9000)
        #expect(fixture.session.settings.peer.enablesConnect == true)
    }

    @Test func lastOfSeveralValuesHolds() {
        let fixture = SessionFixture.opened(.server)
        #expect(fixture.feed(Frame.settings([(4, 100), (4, 1)])) == [.settings])
        #expect(fixture.session.settings.peer.initialWindowSize == 1)
    }

    @Test func valuesThatAreNotAllowedEndTheConnection() {
        let cases: [(UInt16, UInt32, HTTP2ErrorCode)] = [
            (2, 2, .protocolError), (4, 1 << 31, .flowControlError), (5, 16_383, .protocolError),
            (5, 1 << 24, .protocolError), (8, 2, .protocolError),
        ]
        for (identifier, value, code) in cases {
            let fixture = SessionFixture.opened(.server)
            #expect(fixture.feed(Frame.settings([(identifier, value)])) == [.connectionError(code)])
        }
        // A server must not offer to be pushed to.
        #expect(SessionFixture.opened(.client).feed(Frame.settings([(2, 1)])) == [.connectionError(.protocolError)])
        // Nor take extended CONNECT back.
        let fixture = SessionFixture.opened(.client)
        #expect(
            fixture.feed(Frame.settings([(8, 1)]) + Frame.settings([(8, 0)])).last == .connectionError(.protocolError)
        )
    }

    @Test func settingsOfTheWrongShapeEndTheConnection() {
        let cases: [([UInt8], HTTP2ErrorCode)] = [
            (Frame.make(4, 1, 0, [0]), .frameSizeError), (Frame.make(4, 0, 1, []), .protocolError),
            (Frame.make(4, 0, 0, [0, 1, 0]), .frameSizeError),
        ]
        for (frame, code) in cases {
            #expect(SessionFixture.opened(.server).feed(frame) == [.connectionError(code)])
        }
    }

    @Test func smallerWindowHoldsOnlyOnceItIsAcknowledged() {
        var limits = HTTP2Limits()
        limits.streamWindow = 100
        let fixture = SessionFixture(.server, limits)
        let opening = Frame.preface + Frame.settings() + Frame.headers(1, endStream: false)
        #expect(fixture.feed(opening + Frame.data(1, 400)).count == 3)
        #expect(fixture.session.settings.isAcknowledged == false)
        // What was sent before is above the new window, so that nothing is left of it.
        #expect(fixture.feed(Frame.settingsAcknowledgement + Frame.headers(3, endStream: false)).count == 1)
        #expect(fixture.session.settings.isAcknowledged == true)
        #expect(fixture.feed(Frame.data(3, 101)) == [.reset(3, .flowControlError, byPeer: false)])
    }

    @Test func pingIsAnsweredWithItsPayload() {
        let fixture = SessionFixture.opened(.server)
        #expect(fixture.feed(Frame.ping([8, 7, 6, 5, 4, 3, 2, 1]) + Frame.ping(acknowledges: true)) == [])
        #expect(fixture.written() == [Frame(kind: 6, flags: 1, stream: 0, payload: [8, 7, 6, 5, 4, 3, 2, 1])])
        #expect(
            SessionFixture.opened(.server).feed(Frame.make(6, 0, 1, [0, 0, 0, 0, 0, 0, 0, 0]))
                == [.connectionError(.protocolError)]
        )
        #expect(SessionFixture.opened(.server).feed(Frame.ping([1])) == [.connectionError(.frameSizeError)])
    }

    @Test func unknownTypesFlagsAndReservedBitsAreIgnored() {
        let fixture = SessionFixture.opened(.server)
        #expect(fixture.feed(Frame.make(0x16, 0xff, 0, [1, 2, 3]) + Frame.make(0x17, 0, 9, [])) == [])
        #expect(fixture.feed(Frame.make(6, 0x1e, 1 << 31, [0, 0, 0, 0, 0, 0, 0, 0])) == [])
        #expect(fixture.written().map(\.kind) == [6])
    }
}
