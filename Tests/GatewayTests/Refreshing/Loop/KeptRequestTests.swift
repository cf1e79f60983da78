import HTTPCore
import NIOCore
import TestSupport
import Testing

@testable import Gateway

/// How much of a request is kept, and for whom.
struct KeptRequestTests {
    private static let head = Array("POST / HTTP/1.1\r\n\r\n".utf8)

    private func kept(_ framing: RequestFraming, limit: Int = 10) -> KeptRequest {
        let request = KeptRequest()
        request.keep(Self.head.span, framing, limit: limit)
        return request
    }

    private func piece(_ count: Int) -> ByteBuffer { ByteBuffer(repeating: UInt8(ascii: "x"), count: count) }

    @Test func aRequestWithoutABodyIsWholeAtOnce() {
        let request = kept(.none)
        #expect(request.isWhole)
        #expect(Array(request.head.readableBytesView) == Self.head)
    }

    @Test(arguments: [RequestFraming.length(10), .chunked])
    func aBodyUpToTheBoundIsWholeAtItsEnd(_ framing: RequestFraming) {
        let request = kept(framing)
        var room = 100
        for count in [1, 4, 5] {
            request.keep(piece(count), room: &room)
            #expect(!request.isWhole)
        }
        request.bodyEnded(trailers: Array("A: b\r\n".utf8))
        #expect(request.isWhole && request.body == .whole)
        #expect(request.content.readableBytes == 10 && room == 90)
        #expect(request.trailers == Array("A: b\r\n".utf8))
    }

    @Test func aLongerBodyIsGivenUpAndItsRoomGivenBack() {
        let request = kept(.chunked)
        var room = 100
        request.keep(piece(10), room: &room)
        request.keep(piece(1), room: &room)
        #expect(request.body == .given && room == 100)
        // What still comes is not kept from its middle on.
        request.keep(piece(1), room: &room)
        request.bodyEnded(trailers: [])
        #expect(!request.isWhole && request.content.readableBytes == 0 && room == 100)
        request.release(to: &room)
        #expect(room == 100)
    }

    @Test func aBodyThatIsAnnouncedTooLongIsNeverKept() {
        let request = kept(.length(11))
        var room = 100
        request.keep(piece(5), room: &room)
        request.bodyEnded(trailers: [])
        #expect(request.body == .given && !request.isWhole && room == 100)
    }

    @Test func whereThereIsNoRoomForAllNothingIsKept() {
        var room = 15
        let first = kept(.chunked)
        first.keep(piece(10), room: &room)
        let second = kept(.chunked)
        second.keep(piece(5), room: &room)
        #expect(room == 0)
        second.keep(piece(1), room: &room)
        #expect(second.body == .given && room == 5)
        first.bodyEnded(trailers: [])
        #expect(first.isWhole)
        first.release(to: &room)
        #expect(room == 15)
    }

    @Test func oneThatIsUsedAgainHasNothingOfTheOneBefore() {
        let request = kept(.chunked, limit: 1 << 20)
        var room = 1 << 20
        request.keep(piece(100_000), room: &room)
        request.bodyEnded(trailers: Array("A: b\r\n".utf8))
        request.release(to: &room)
        #expect(room == 1 << 20)
        // Nor the memory that a long body took.
        #expect(request.content.capacity <= 16 << 10)
        request.keep(Array("GET / HTTP/1.1\r\n\r\n".utf8).span, .length(1), limit: 10)
        #expect(request.content.readableBytes == 0 && request.trailers.isEmpty && !request.isWhole)
        #expect(request.head.readableBytes == 18)
        request.keep(piece(1), room: &room)
        request.bodyEnded(trailers: [])
        #expect(request.isWhole && request.content.readableBytes == 1)
    }

    /// Whatever comes in whatever order, all room is given back at the end.
    @Test func roomIsNeitherLostNorMade() {
        var random = SplitMix64(seed: 42)
        var room = 1000
        let requests = (0..<20).map { _ in KeptRequest() }
        for _ in 0..<20_000 {
            let request = random.pick(requests)
            switch random.below(6) {
            case 0:
                request.release(to: &room)
                let framing = random.pick([RequestFraming.none, .chunked, .length(random.below(300))])
                request.keep(Self.head.span, framing, limit: 200)
            case 1: request.bodyEnded(trailers: [])
            case 2: request.release(to: &room)
            default: request.keep(piece(random.below(120)), room: &room)
            }
            let held = requests.reduce(0) { $0 + $1.content.readableBytes }
            #expect(room >= 0 && room + held == 1000)
        }
    }
}
