import NIOCore
import TestSupport
import Testing

@testable import HTTPCore

/// What a session holds for a peer that does not take it.
@Suite struct SessionQueueTests {
    private func opened(_ limits: HTTP2Limits = HTTP2Limits(), streams: Int) -> SessionHouse {
        let house = SessionHouse.opened(.server, limits)
        _ = house.feed(Frame.settings([(4, 0)]))
        for number in 0..<streams {
            let id = UInt32(2 * number + 1)
            _ = house.feed(Frame.headers(id))
            house.respond(id)
        }
        _ = house.written()
        return house
    }

    @Test func queuedLengthIsTheSumOfWhatStreamsHold() {
        var random = SplitMix64(seed: 17)
        for _ in 0..<50 {
            let house = opened(streams: 8)
            for _ in 0..<60 {
                let id = UInt32(2 * random.below(8) + 1)
                switch random.below(6) {
                case 0, 1: house.sendData(id, random.below(3000), endStream: random.oneIn(8))
                case 2: _ = house.feed(Frame.windowUpdate(id, UInt32(1 + random.below(2000))))
                case 3: _ = house.feed(Frame.windowUpdate(0, 1 + UInt32(random.below(2000))))
                case 4 where random.oneIn(4): house.session.reset(stream: id, code: .cancel)
                default: _ = house.written()
                }
                let held = (0..<8).reduce(0) { $0 + house.session.pendingBytes(stream: UInt32(2 * $1 + 1)) }
                let counted = house.session.queuedLength
                #expect(counted == held)
            }
        }
    }

    @Test func trailersThatWaitAreCountedUntilTheyAreSent() {
        let house = opened(streams: 1)
        house.sendData(1, 10)
        let value = Array(String(repeating: "v", count: 1000).utf8)
        house.session.sendTrailers(stream: 1) { $0.append(name: Array("x".utf8).span, value: value.span) }
        let held = house.session.queuedLength
        #expect(held > 1000)
        _ = house.feed(Frame.windowUpdate(1, 10))
        let left = house.session.queuedLength
        #expect(left == 0)
    }

    @Test func streamIsRefusedWhileTooMuchIsHeldAndTakenAfterwards() {
        var limits = HTTP2Limits()
        limits.sending.maximumQueued = 1000
        let house = opened(limits, streams: 1)
        house.sendData(1, 1000)
        #expect(house.feed(Frame.headers(3)) == [])
        let refused = house.written().map(\.stream)
        #expect(refused == [3])
        let open = house.session.openStreams
        #expect(open == 1)
        _ = house.feed(Frame.windowUpdate(1, 1))
        #expect(house.feed(Frame.headers(5)).count == 1)
    }

    @Test func queueKeepsNoBufferThatIsFarLargerThanItself() {
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
