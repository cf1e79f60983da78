import TestSupport
import Testing

@testable import HTTPCore

@Suite struct SessionSettingsTests {
    @Test func serverStartsWithSettingsAndWindowUpdate() {
        var limits = HTTP2Limits()
        limits.enablesConnect = true
        let frames = SessionProbe(.server, limits).written()
        #expect(frames.map(\.kind) == [4, 8])
        #expect(frames.first?.payload == [0, 3, 0, 0, 0, 100, 0, 8, 0, 0, 0, 1, 0, 6, 0, 1, 0, 0])
        #expect(frames.windowUpdates(0) == [(1 << 20) - 65_535])
    }

    @Test func clientStartsWithPrefaceAndDisablesPush() {
        let bytes = SessionProbe(.client).takeOutput()
        #expect(bytes.starts(with: Frame.preface))
        #expect(Frame.read(bytes).first?.payload.prefix(6) == [0, 2, 0, 0, 0, 0])
    }

    @Test func wrongPrefaceIsRefusedAtFirstWrongByte() {
        let fixture = SessionProbe(.server)
        #expect(fixture.feed(Array("PRI * HTTP/1".utf8)) == [.connectionError(.protocolError)])
        #expect(fixture.written().goAways == [.protocolError])
        #expect(fixture.feed(Frame.preface) == [])
    }

    @Test func firstFrameMustBeSettings() {
        for frame in [
            Frame.ping(), Frame.headers(1), Frame.settingsAcknowledgement, Frame.windowUpdate(0, 1), Frame.data(1, 1),
            Frame.goAway(0),
        ] {
            let fixture = SessionProbe(.server)
            #expect(fixture.feed(Frame.preface + frame) == [.connectionError(.protocolError)])
        }
        #expect(SessionProbe(.client).feed(Frame.ping()) == [.connectionError(.protocolError)])
    }

    @Test func settingsAreAcknowledgedAndApplied() {
        let fixture = SessionProbe.opened(.client)
        let frame = Frame.settings([(3, 7), (4, 1000), (5, 20_000), (6, 9000), (8, 1), (0x99, 5)])
        #expect(fixture.feed(frame) == [.settings])
        #expect(fixture.written() == [Frame(kind: 4, flags: 1, stream: 0, payload: [])])
        #expect(fixture.session.settings.peer.maximumConcurrentStreams == 7)
        #expect(fixture.session.settings.peer.initialWindowSize == 1000)
        #expect(fixture.session.settings.peer.maximumFrameSize == 20_000)
        #expect(fixture.session.settings.peer.maximumHeaderListSize == 9000)
        #expect(fixture.session.settings.peer.enablesConnect == true)
    }

    @Test func everySettingsFrameIsAcknowledgedInOrder() {
        let fixture = SessionProbe(.server)
        _ = fixture.feed(Frame.preface + Frame.settings())
        _ = fixture.written()
        #expect(fixture.feed(Frame.settingsAcknowledgement) == [])
        #expect(fixture.written() == [])
        let frames = [
            Frame.settings([(5, 20_000)]), Frame.ping(), Frame.settings(), Frame.settings([(3, 7)]), Frame.ping(),
        ]
        #expect(fixture.feed(frames.flatMap { $0 }) == [.settings, .settings, .settings])
        let answers = fixture.written()
        #expect(answers.map(\.kind) == [4, 6, 4, 4, 6])
        #expect(answers.allSatisfy { $0.flags == 1 })
    }

    @Test(
        arguments: [
            (1, 0), (1, 0xffff_ffff), (2, 0), (2, 1), (3, 0), (3, 0xffff_ffff), (4, 0x7fff_ffff), (5, 16_384),
            (5, 16_777_215), (6, 0xffff_ffff), (0, 1), (0xff, 7), (0xffff, 0xffff_ffff),
        ] as [(UInt16, UInt32)]
    )
    func validOrUnknownSettingIsAccepted(identifier: UInt16, value: UInt32) {
        #expect(SessionProbe.opened(.server).feed(Frame.settings([(identifier, value)])) == [.settings])
    }

    @Test func lastOfSeveralValuesApplies() {
        let fixture = SessionProbe.opened(.server)
        #expect(fixture.feed(Frame.settings([(4, 100), (4, 1)])) == [.settings])
        #expect(fixture.session.settings.peer.initialWindowSize == 1)
    }

    @Test func invalidSettingEndsConnection() {
        let cases: [(UInt16, UInt32, HTTP2ErrorCode)] = [
            (2, 2, .protocolError), (2, 0xffff_ffff, .protocolError), (4, 1 << 31, .flowControlError),
            (4, 0xffff_ffff, .flowControlError), (5, 16_383, .protocolError), (5, 0, .protocolError),
            (5, 1 << 24, .protocolError), (8, 2, .protocolError),
        ]
        for (identifier, value, code) in cases {
            let fixture = SessionProbe.opened(.server)
            #expect(fixture.feed(Frame.settings([(3, 50), (identifier, value)])) == [.connectionError(code)])
        }
        // A server must not offer to be pushed to.
        #expect(SessionProbe.opened(.client).feed(Frame.settings([(2, 1)])) == [.connectionError(.protocolError)])
        // Nor take extended CONNECT back.
        let fixture = SessionProbe.opened(.client)
        #expect(
            fixture.feed(Frame.settings([(8, 1)]) + Frame.settings([(8, 0)])).last == .connectionError(.protocolError)
        )
    }

    @Test func malformedSettingsEndConnection() {
        let cases: [([UInt8], HTTP2ErrorCode)] = [
            (Frame.make(4, 1, 0, [0]), .frameSizeError), (Frame.make(4, 0, 1, []), .protocolError),
            (Frame.make(4, 1, 1, []), .protocolError), (Frame.make(4, 0, 0, [0, 1, 0]), .frameSizeError),
            (Frame.make(4, 0, 0, [0, 3, 0, 0, 0, 100, 0]), .frameSizeError),
        ]
        for (frame, code) in cases {
            #expect(SessionProbe.opened(.server).feed(frame) == [.connectionError(code)])
        }
    }

    @Test func smallerWindowAppliesOnceAcknowledged() {
        var limits = HTTP2Limits()
        limits.streamWindow = 100
        let fixture = SessionProbe(.server, limits)
        let opening = Frame.preface + Frame.settings() + Frame.headers(1, endStream: false)
        #expect(fixture.feed(opening + Frame.data(1, 400)).count == 3)
        #expect(fixture.session.settings.isAcknowledged == false)
        // What was sent before is above the new window, so that nothing is left of it.
        #expect(fixture.feed(Frame.settingsAcknowledgement + Frame.headers(3, endStream: false)).count == 1)
        #expect(fixture.session.settings.isAcknowledged == true)
        #expect(fixture.feed(Frame.data(3, 101)) == [.reset(3, .flowControlError, byPeer: false)])
    }

    @Test func pingIsAnsweredWithItsPayload() {
        let fixture = SessionProbe.opened(.server)
        #expect(fixture.feed(Frame.ping([8, 7, 6, 5, 4, 3, 2, 1]) + Frame.ping(acknowledges: true)) == [])
        #expect(fixture.written() == [Frame(kind: 6, flags: 1, stream: 0, payload: [8, 7, 6, 5, 4, 3, 2, 1])])
        #expect(
            SessionProbe.opened(.server).feed(Frame.make(6, 0, 1, [0, 0, 0, 0, 0, 0, 0, 0]))
                == [.connectionError(.protocolError)]
        )
    }

    @Test func unknownTypesAndFlagsAreIgnored() {
        let fixture = SessionProbe.opened(.server)
        #expect(fixture.feed(Frame.make(0x16, 0xff, 0, [1, 2, 3]) + Frame.make(0x17, 0, 9, [])) == [])
        #expect(fixture.feed(Frame.make(6, 0x1e, 1 << 31, [0, 0, 0, 0, 0, 0, 0, 0])) == [])
        #expect(fixture.written().map(\.kind) == [6])
        let alien = Frame.make(0x16, 0, 1, [9])
        let block = Frame.block(Frame.request)
        let request =
            Frame.make(1, 0xd6, 1 << 31 | 1, block) + alien + Frame.make(0, 0xd2, 1 << 31 | 1, [65]) + alien
            + Frame.make(4, 0xfe, 0, []) + Frame.make(8, 0xff, 0, [0, 0, 0, 1]) + Frame.make(0, 0xd3, 1, [66]) + alien
        #expect(
            fixture.feed(request) == [
                .headers(1, endStream: false, .initial, Frame.requestLines),
                .data(1, [65], flowControlled: 1, endStream: false), .settings,
                .data(1, [66], flowControlled: 1, endStream: true),
            ]
        )
    }
}
