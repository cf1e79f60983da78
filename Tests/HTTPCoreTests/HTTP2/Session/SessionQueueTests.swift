import NIOCore
import TestSupport
import Testing

@testable import HTTPCore

/// What a session holds for a peer that does not take it.
@Suite struct SessionQueueTests {
    private func opened(_ limits: HTTP2Limits = HTTP2Limits(), streams: Int) -> SessionProbe {
        let fixture = SessionProbe.opened(.server, limits)
        _ = fixture.feed(Frame.settings([(4, 0)]))
        for number in 0..<streams {
            let id = UInt32(2 * number + 1)
            _ = fixture.feed(Frame.headers(id))
            fixture.respond(id)
        }
        _ = fixture.written()
        return fixture
    }

    @Test func queuedLengthIsSumOfStreams() {
        var random = SplitMix64(seed: 17)
        for _ in 0..<50 {
            let fixture = opened(streams: 8)
            for _ in 0..<60 {
                let id = UInt32(2 * random.below(8) + 1)
                switch random.below(6) {
                case 0, 1: fixture.sendData(id, random.below(3000), endStream: random.oneIn(8))
                case 2: _ = fixture.feed(Frame.windowUpdate(id, UInt32(1 + random.below(2000))))
                case 3: _ = fixture.feed(Frame.windowUpdate(0, 1 + UInt32(random.below(2000))))
                case 4 where random.oneIn(4): fixture.session.reset(stream: id, code: .cancel)
                default: _ = fixture.written()
                }
                let held = (0..<8).reduce(0) { $0 + fixture.session.pendingBytes(stream: UInt32(2 * $1 + 1)) }
                let counted = fixture.session.queuedLength
                #expect(counted == held)
            }
        }
    }

    @Test func queuedTrailersAreCounted() {
        let fixture = opened(streams: 1)
        fixture.sendData(1, 10)
        let value = Array(String(repeating: "v", count: 1000).utf8)
        fixture.session.sendTrailers(stream: 1) { $0.append(name: Array("x".utf8).span, value: value.span) }
        let held = fixture.session.queuedLength
        #expect(held > 1000)
        _ = fixture.feed(Frame.windowUpdate(1, 10))
        let left = fixture.session.queuedLength
        #expect(left == 0)
    }

    @Test func streamIsRefusedWhileTooMuchIsQueued() {
        var limits = HTTP2Limits()
        limits.sending.maximumQueued = 1000
        let fixture = opened(limits, streams: 1)
        fixture.sendData(1, 1000)
        #expect(fixture.feed(Frame.headers(3)) == [])
        let refused = fixture.written().map(\.stream)
        #expect(refused == [3])
        let open = fixture.session.openStreams
        #expect(open == 1)
        _ = fixture.feed(Frame.windowUpdate(1, 1))
        #expect(fixture.feed(Frame.headers(5)).count == 1)
    }

    @Test func queueReleasesOversizedBuffers() {
        var queue = HTTP2SendQueue()
        var read = ByteBufferAllocator().buffer(capacity: 65_536)
        read.writeRepeatingByte(7, count: 60_000)
        let small = read.getSlice(at: 100, length: 100) ?? ByteBuffer()
        queue.append(small)
        #expect(queue.bytes.storageCapacity < 1024)
        #expect(queue.bytes == small)
        queue = HTTP2SendQueue()
        queue.append(read)
        let taken = queue.take(59_999)
        #expect(taken?.readableBytes == 59_999)
        #expect(queue.bytes.storageCapacity < 1024)
        #expect(Array(queue.bytes.readableBytesView) == [7])
    }
}
