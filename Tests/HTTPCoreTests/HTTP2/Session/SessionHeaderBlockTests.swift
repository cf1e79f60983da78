import TestSupport
import Testing

@testable import HTTPCore

@Suite struct SessionHeaderBlockTests {
    @Test func blockMayContinueInContinuations() {
        let fixture = SessionProbe.opened(.server)
        let bytes =
            Frame.headers(1, endHeaders: false) + Frame.continuation(1, endHeaders: false, [("a", "1")])
            + Frame.continuation(1, endHeaders: false, []) + Frame.continuation(1, endHeaders: true, [("b", "2")])
        #expect(fixture.feed(bytes) == [.headers(1, endStream: true, .initial, Frame.requestLines + ["a: 1", "b: 2"])])
    }

    @Test func fieldMayBeSplitAnywhere() {
        let block = Frame.block(Frame.request)
        for cut in 0...block.count {
            let fixture = SessionProbe.opened(.server)
            let seen = fixture.feed(
                Frame.make(1, 1, 1, Array(block[..<cut])) + Frame.make(9, 4, 1, Array(block[cut...]))
            )
            #expect(seen == [.headers(1, endStream: true, .initial, Frame.requestLines)])
        }
    }

    @Test func otherFrameInsideBlockIsRefused() {
        let others = [
            Frame.priority(1, dependsOn: 3), Frame.priority(3, dependsOn: 0), Frame.headers(3), Frame.headers(1),
            Frame.make(0x77, 0, 0, []), Frame.make(0x77, 0, 1, [1]), Frame.data(1, 1), Frame.settings(), Frame.ping(),
            Frame.windowUpdate(0, 1), Frame.windowUpdate(1, 1), Frame.reset(1), Frame.goAway(0),
            Frame.continuation(3, endHeaders: true, []), Frame.continuation(0, endHeaders: true, []),
        ]
        let begun = Frame.headers(1, endHeaders: false)
        for start in [begun, begun + Frame.continuation(1, endHeaders: false, [("b", "c")])] {
            for frame in others {
                let fixture = SessionProbe.opened(.server)
                #expect(fixture.feed(start + frame) == [.connectionError(.protocolError)], "\(frame)")
            }
        }
    }

    @Test func continuationNeedsIncompleteBlock() {
        let ended =
            Frame.headers(1, endStream: false, endHeaders: false) + Frame.continuation(1, endHeaders: true, [])
        let unended = Frame.headers(1, endStream: false)
        for start in [unended, ended, unended + Frame.data(1, 1), unended + Frame.reset(1), Frame.headers(1)] {
            let fixture = SessionProbe.opened(.server)
            let seen = fixture.feed(start + Frame.continuation(1, endHeaders: true, []))
            #expect(seen.last == .connectionError(.protocolError))
        }
        let over = SessionProbe.opened(.server)
        _ = over.feed(Frame.headers(1))
        over.respond(1, endStream: true)
        #expect(over.feed(Frame.continuation(1, endHeaders: true, [])) == [.connectionError(.protocolError)])
    }

    @Test func undecodableBlockEndsConnection() {
        let fixture = SessionProbe.opened(.server)
        #expect(fixture.feed(Frame.make(1, 5, 1, [0x80])) == [.connectionError(.compressionError)])
        // Also where its stream is gone or refused: the tables are out of step all the same.
        let other = SessionProbe.opened(.server)
        _ = other.feed(Frame.headers(1, endStream: false))
        other.session.reset(stream: 1, code: .cancel)
        #expect(other.feed(Frame.make(1, 5, 1, [0x80])) == [.connectionError(.compressionError)])
        for before in [Frame.data(1, 1), Frame.reset(1)] {
            let late = SessionProbe.opened(.server)
            let seen = late.feed(Frame.headers(1, endStream: false) + before + Frame.make(1, 5, 1, [0x80]))
            #expect(seen.last == .connectionError(.compressionError))
        }
    }

    @Test func tooManyContinuationsAreFlood() {
        let fixture = SessionProbe.opened(.server)
        _ = fixture.feed(Frame.headers(1, endHeaders: false))
        for _ in 0..<16 { #expect(fixture.feed(Frame.continuation(1, endHeaders: false, [])) == []) }
        #expect(fixture.feed(Frame.continuation(1, endHeaders: true, [])) == [.connectionError(.enhanceYourCalm)])
    }

    @Test func blockFarAboveLimitIsFlood() {
        var limits = HTTP2Limits()
        limits.maximumHeaderListSize = 1000
        let fixture = SessionProbe.opened(.server, limits)
        let large = [UInt8](repeating: 0x82, count: 16_384)
        #expect(
            fixture.feed(Frame.make(1, 1, 1, large) + Frame.make(9, 0, 1, [UInt8](repeating: 0x82, count: 2000))) == []
        )
        #expect(fixture.feed(Frame.make(9, 4, 1, [0x82])) == [.connectionError(.enhanceYourCalm)])
    }

    @Test func listAboveLimitIsDecodedAndMarked() {
        var limits = HTTP2Limits()
        limits.maximumHeaderListSize = 300
        let fixture = SessionProbe.opened(.server, limits)
        let many = (0..<10).map { ("name\($0)", "value") }
        #expect(fixture.feed(Frame.headers(1, Frame.request + many)).count == 1)
        #expect(fixture.list.isTooLarge)
        #expect(fixture.feed(Frame.headers(3)).count == 1)
        #expect(!fixture.list.isTooLarge)
    }

    @Test func ownBlockIsSplitAtPeerFrameSize() {
        let fixture = SessionProbe.opened(.server)
        _ = fixture.feed(Frame.headers(1))
        let value = String(repeating: "{", count: 40_000)
        fixture.sendHeaders(1, [(":status", "200"), ("x-large", value)], endStream: true)
        let frames = fixture.written()
        #expect(frames.map(\.kind).first == 1)
        #expect(frames.dropFirst().allSatisfy { $0.kind == 9 && $0.stream == 1 })
        #expect(frames.count >= 3)
        #expect(frames.allSatisfy { $0.payload.count <= 16_384 })
        #expect(frames.map { $0.flags & 4 } == [UInt8](repeating: 0, count: frames.count - 1) + [4])
        #expect(frames.first?.endsStream == true)

        var limits = HTTP2Limits()
        limits.maximumHeaderListSize = 100_000
        let reader = SessionProbe.opened(.client, limits)
        #expect(reader.session.openStream() == 1)
        let bytes = frames.flatMap { Frame.make($0.kind, $0.flags, $0.stream, $0.payload) }
        #expect(reader.feed(bytes) == [.headers(1, endStream: true, .initial, [":status: 200", "x-large: \(value)"])])
    }
}
