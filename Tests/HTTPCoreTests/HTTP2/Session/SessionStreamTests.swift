import TestSupport
import Testing

@testable import HTTPCore

@Suite struct SessionStreamTests {
    private let request = SessionProbe.Seen.headers(1, endStream: true, .initial, Frame.requestLines)
    private let split = Frame.headers(1, endHeaders: false) + Frame.continuation(1, endHeaders: true, [])

    @Test func requestHasHeadersDataAndTrailers() {
        let fixture = SessionProbe.opened(.server)
        let bytes = Frame.headers(1, endStream: false) + Frame.data(1, 2) + Frame.headers(1, [("x", "y")])
        #expect(
            fixture.feed(bytes) == [
                .headers(1, endStream: false, .initial, Frame.requestLines),
                .data(1, [5, 5], flowControlled: 2, endStream: false),
                .headers(1, endStream: true, .trailers, ["x: y"]),
            ]
        )
        #expect(fixture.session.openStreams == 1)
        fixture.respond(1, endStream: true)
        #expect(fixture.session.openStreams == 0)
        #expect(fixture.written().map(\.endsStream) == [true])
    }

    @Test(arguments: [(0, nil), (1, nil), (255, nil), (nil, 0), (7, 0), (200, 101)] as [(Int?, UInt32?)])
    func paddingAndPriorityAreNotFields(padding: Int?, dependency: UInt32?) {
        let before = (padding.map { [UInt8($0)] } ?? []) + (dependency.map { Frame.bigEndian($0) + [9] } ?? [])
        let after = [UInt8](repeating: 0, count: padding ?? 0)
        let flags: UInt8 = 0x5 | (padding == nil ? 0 : 0x8) | (dependency == nil ? 0 : 0x20)
        let frame = Frame.make(1, flags, 1, before + Frame.block(Frame.request) + after)
        #expect(SessionProbe.opened(.server).feed(frame) == [request])
    }

    @Test func paddingAndPriorityAreRemoved() {
        let fixture = SessionProbe.opened(.server)
        let block = Frame.block(Frame.request)
        let padded = Frame.make(1, 0x4 | 0x8 | 0x20, 1, [3] + Frame.bigEndian(0x8000_0000) + [9] + block + [0, 0, 0])
        let data = Frame.make(0, 0x8 | 1, 1, [2, 65, 66, 0, 0])
        #expect(
            fixture.feed(padded + data) == [
                .headers(1, endStream: false, .initial, Frame.requestLines),
                .data(1, [65, 66], flowControlled: 5, endStream: true),
            ]
        )
    }

    @Test func excessivePaddingEndsConnection() {
        let cases: [([UInt8], HTTP2ErrorCode)] = [
            (Frame.make(1, 0x4 | 0x8, 1, [2, 1]), .protocolError), (Frame.make(1, 0x4 | 0x8, 1, []), .frameSizeError),
            (Frame.make(1, 0x4 | 0x8, 1, [5, 0, 0, 0, 0]), .protocolError),
            (Frame.make(1, 0x4 | 0x8, 1, [255] + Frame.block(Frame.request)), .protocolError),
            (Frame.make(1, 0x4 | 0x8 | 0x20, 1, [1, 0, 0, 0, 0, 15]), .frameSizeError),
            (Frame.make(1, 0x4 | 0x8 | 0x20, 1, [0, 0, 0, 0, 0]), .frameSizeError),
            (Frame.make(1, 0x4 | 0x20, 1, [0, 0, 0, 0]), .frameSizeError),
        ]
        for (frame, code) in cases {
            #expect(SessionProbe.opened(.server).feed(frame) == [.connectionError(code)])
        }
        let contents: [([UInt8], HTTP2ErrorCode)] = [
            ([4, 1, 2], .protocolError), ([5, 0, 0, 0, 0], .protocolError), ([255, 1], .protocolError),
            ([1], .protocolError), ([], .frameSizeError),
        ]
        for (content, code) in contents {
            let fixture = SessionProbe.opened(.server)
            let seen = fixture.feed(Frame.headers(1, endStream: false) + Frame.make(0, 0x9, 1, content))
            #expect(seen.last == .connectionError(code), "\(content)")
        }
    }

    @Test func frameOnIdleStreamEndsConnection() {
        for frame in [
            Frame.data(1, 1), Frame.reset(1), Frame.windowUpdate(1, 5), Frame.continuation(1, endHeaders: true, []),
            Frame.data(2, 1), Frame.reset(2), Frame.windowUpdate(2, 5),
        ] {
            let fixture = SessionProbe.opened(.server)
            #expect(fixture.feed(frame) == [.connectionError(.protocolError)])
            #expect(fixture.written().goAways == [.protocolError])
        }
        #expect(SessionProbe.opened(.client).feed(Frame.headers(1)) == [.connectionError(.protocolError)])
    }

    @Test func frameOnWrongStreamEndsConnection() {
        let frames = [
            Frame.data(0, 1), Frame.headers(0), Frame.reset(0), Frame.priority(0, dependsOn: 1),
            Frame.continuation(0, endHeaders: true, []), Frame.headers(2),
            Frame.make(7, 0, 1, [0, 0, 0, 0, 0, 0, 0, 0]), Frame.make(5, 4, 0, [0, 0, 0, 2]),
            Frame.make(5, 4, 1, [0, 0, 0, 2]), Frame.make(5, 4, 3, [0, 0, 0, 2]),
        ]
        for frame in frames {
            #expect(SessionProbe.opened(.server).feed(frame) == [.connectionError(.protocolError)])
        }
    }

    @Test func frameOfWrongSizeEndsConnection() {
        let frames = [
            Frame.make(3, 0, 1, [0, 0, 0]), Frame.make(3, 0, 1, [0, 0, 0, 8, 0]), Frame.make(8, 0, 1, [0, 0, 1]),
            Frame.make(8, 0, 1, [0, 0, 0, 1, 0]), Frame.make(8, 0, 0, [1]), Frame.make(8, 0, 0, [0, 0, 0, 1, 0]),
            Frame.make(7, 0, 0, [0, 0, 0, 0, 0, 0, 0]), Frame.data(1, 16_385),
            Frame.make(1, 4, 3, [UInt8](repeating: 0, count: 16_385)), Frame.ping([]), Frame.ping([1]),
            Frame.ping([1, 2, 3, 4, 5, 6, 7]), Frame.ping([1, 2, 3, 4, 5, 6, 7, 8, 9]),
            // Of what is too long, the head of the frame is enough.
            [255, 255, 255, 0, 0, 0, 0, 0, 1], [255, 255, 255, 1, 0, 0, 0, 0, 1], [255, 255, 255, 4, 0, 0, 0, 0, 0],
            [255, 255, 255, 7, 0, 0, 0, 0, 0], [255, 255, 255, 0x77, 0, 0, 0, 0, 0],
        ]
        for frame in frames {
            let fixture = SessionProbe.opened(.server)
            _ = fixture.feed(Frame.headers(1, endStream: false))
            #expect(fixture.feed(frame) == [.connectionError(.frameSizeError)])
        }
        let fixture = SessionProbe.opened(.server)
        #expect(fixture.feed(Frame.headers(1, endStream: false) + Frame.data(1, 16_384)).count == 2)
    }

    @Test func streamIdentifiersMustIncrease() {
        let fixture = SessionProbe.opened(.server)
        #expect(fixture.feed(Frame.headers(5)).count == 1)
        #expect(fixture.feed(Frame.headers(3)) == [.connectionError(.protocolError)])
        let other = SessionProbe.opened(.server)
        for stream: UInt32 in [3, 101, 0x7fff_ffff] { #expect(other.feed(Frame.headers(stream)).count == 1) }
    }

    @Test func frameAfterPeerEndResetsStream() {
        for frame in [Frame.data(1, 1), Frame.headers(1, [("x", "y")]), split] {
            let fixture = SessionProbe.opened(.server)
            #expect(fixture.feed(Frame.headers(1) + frame) == [request, .reset(1, .streamClosed, byPeer: false)])
            #expect(fixture.written().resets(1) == [.streamClosed])
        }
        let fixture = SessionProbe.opened(.server)
        let allowed = Frame.windowUpdate(1, 1) + Frame.priority(1, dependsOn: 3) + Frame.reset(1)
        #expect(fixture.feed(Frame.headers(1) + allowed) == [request, .reset(1, .cancel, byPeer: true)])
    }

    @Test func frameOnEndedStreamEndsConnection() {
        for frame in [Frame.data(1, 1), Frame.headers(1), split] {
            let fixture = SessionProbe.opened(.server)
            _ = fixture.feed(Frame.headers(1))
            fixture.respond(1, endStream: true)
            #expect(fixture.feed(Frame.windowUpdate(1, 1) + Frame.reset(1) + Frame.priority(1, dependsOn: 0)) == [])
            #expect(fixture.feed(frame) == [.connectionError(.streamClosed)])
        }
    }

    @Test func frameAfterPeerResetIsStreamClosed() {
        for frame in [Frame.data(1, 1), Frame.headers(1), split] {
            let fixture = SessionProbe.opened(.server)
            _ = fixture.feed(Frame.headers(1, endStream: false) + Frame.reset(1))
            #expect(fixture.feed(frame) == [])
            #expect(fixture.written().resets(1) == [.streamClosed])
        }
    }

    @Test func frameAfterOwnResetIsIgnored() {
        let fixture = SessionProbe.opened(.server)
        _ = fixture.feed(Frame.headers(1, endStream: false))
        fixture.session.reset(stream: 1, code: .internalError)
        #expect(fixture.written().resets(1) == [.internalError])
        #expect(fixture.feed(Frame.data(1, 10) + Frame.headers(1, [("x", "y")]) + Frame.windowUpdate(1, 4)) == [])
        #expect(fixture.written() == [])
    }

    @Test func trailersMustEndStream() {
        let fixture = SessionProbe.opened(.server)
        let seen = fixture.feed(Frame.headers(1, endStream: false) + Frame.headers(1, endStream: false, [("x", "y")]))
        #expect(seen.last == .reset(1, .protocolError, byPeer: false))
    }

    @Test func streamAboveLimitIsRefusedButDecoded() {
        var limits = HTTP2Limits()
        limits.maximumStreams = 2
        let fixture = SessionProbe.opened(.server, limits)
        // The second block puts a field into the dynamic table, and the third, refused, one more; the last names both.
        let fields = Frame.block(Frame.request)
        let indexing: [UInt8] = [0x40, 1, 97, 1, 49]
        let others: [UInt8] = [0x40, 1, 98, 1, 50]
        _ = fixture.feed(
            Frame.headers(1) + Frame.make(1, 5, 3, fields + indexing) + Frame.make(1, 5, 5, fields + others)
        )
        #expect(fixture.written().resets(5) == [.refusedStream])
        fixture.respond(1, endStream: true)
        let seen = fixture.feed(Frame.make(1, 5, 7, fields + [0xbe, 0xbf]))
        #expect(seen == [.headers(7, endStream: true, .initial, Frame.requestLines + ["b: 2", "a: 1"])])
    }

    @Test func priorityIsIgnoredUnlessItIsMalformed() {
        let fixture = SessionProbe.opened(.server)
        let several =
            Frame.priority(1, dependsOn: 0) + Frame.priority(9, dependsOn: 3) + Frame.priority(2, dependsOn: 0)
        #expect(fixture.feed(several + Frame.headers(1)) == [request])
        for (stream, length) in [(1, 1), (11, 4), (13, 6)] as [(UInt32, Int)] {
            _ = fixture.feed(
                stream == 1 ? [] : Frame.headers(stream, endStream: false) + Frame.priority(stream, dependsOn: 0)
            )
            let frame = Frame.make(2, 0, stream, [UInt8](repeating: 0, count: length))
            #expect(fixture.feed(frame) == [.reset(stream, .frameSizeError, byPeer: false)])
        }
        #expect(
            fixture.feed(Frame.headers(15) + Frame.priority(15, dependsOn: 15)).last
                == .reset(15, .protocolError, byPeer: false)
        )
        _ = fixture.written()
        let depends = Frame.make(1, 0x25, 17, Frame.bigEndian(17) + [1] + Frame.block(Frame.request))
        #expect(fixture.feed(depends) == [])
        #expect(fixture.written().resets(17) == [.protocolError])
        #expect(fixture.feed(Frame.priority(19, dependsOn: 19)) == [.connectionError(.protocolError)])
    }

    @Test func unknownResetCodeIsReported() {
        let fixture = SessionProbe.opened(.server)
        let code = HTTP2ErrorCode(rawValue: 0xff)
        #expect(fixture.feed(Frame.headers(1) + Frame.reset(1, code)).last == .reset(1, code, byPeer: true))
        #expect(fixture.feed(Frame.goAway(0, code)) == [.goAway(0, code)])
    }

    @Test func bodyMustMatchContentLength() {
        for (length, frames) in [
            (3, Frame.data(1, 4)), (3, Frame.data(1, 1) + Frame.data(1, 1, endStream: true)),
            (3, Frame.data(1, 2) + Frame.headers(1, [("x", "y")])),
        ] {
            let fixture = SessionProbe.opened(.server)
            _ = fixture.feed(Frame.headers(1, endStream: false))
            fixture.session.expectLength(stream: 1, length)
            #expect(fixture.feed(frames).last == .reset(1, .protocolError, byPeer: false))
        }
        let fixture = SessionProbe.opened(.server)
        _ = fixture.feed(Frame.headers(1, endStream: false) + Frame.headers(3))
        fixture.session.expectLength(stream: 1, 3)
        let seen = fixture.feed(Frame.data(1, 3, endStream: true))
        #expect(seen == [.data(1, [5, 5, 5], flowControlled: 3, endStream: true)])
        fixture.session.expectLength(stream: 3, 1)
        #expect(fixture.events() == [.reset(3, .protocolError, byPeer: false)])
    }
}
