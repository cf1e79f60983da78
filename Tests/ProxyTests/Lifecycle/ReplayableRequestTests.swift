import Authorization
import HTTPCore
import NIOCore
import TestSupport
import Testing
import UpstreamTestSupport

@testable import Proxy

/// How much of a request is kept, and for which routes.
struct ReplayableRequestTests {
    private let room = ReplayBudget(100)
    private let spare = SpareRequests()

    private func kept(_ framing: RequestFraming, limit: Int = 10, room: ReplayBudget? = nil) throws -> ReplayableRequest
    {
        let lines: [String] =
            switch framing {
            case .none: []
            case .length(let length): ["Content-Length: \(length)"]
            case .chunked: ["Transfer-Encoding: chunked"]
            }
        let request = try RequestPipeline([try RequestPipeline.tenant()]).routed(
            RequestPipeline.request("/", method: "POST", lines: lines) + [1, 2, 3]
        )
        return ReplayableRequest(request, limit: limit, room: room ?? self.room, spare: spare)
    }

    private func piece(_ count: Int) -> ByteBuffer { ByteBuffer(repeating: UInt8(ascii: "x"), count: count) }

    @Test func requestWithoutBodyIsCompleteAtOnce() throws {
        let request = try kept(.none)
        #expect(request.isWhole)
        let head = RequestPipeline.request("/", method: "POST")
        #expect(Array(request.request.received.bytes.readableBytesView) == head, "and nothing that came behind it")
    }

    @Test(arguments: [RequestFraming.length(10), .chunked])
    func bodyUpToLimitIsComplete(_ framing: RequestFraming) throws {
        let request = try kept(framing)
        for count in [1, 4, 5] {
            request.keep(piece(count))
            #expect(!request.isWhole)
        }
        request.bodyEnded(trailers: Array("A: b\r\n".utf8))
        #expect(request.isWhole && request.body == .whole)
        #expect(request.content.readableBytes == 10 && room.left == 90)
        #expect(request.trailers == Array("A: b\r\n".utf8))
    }

    @Test func longerBodyIsDroppedAndMemoryReturned() throws {
        let request = try kept(.chunked)
        request.keep(piece(10))
        request.keep(piece(1))
        #expect(request.body == .given && room.left == 100)
        // Later bytes are not kept: the beginning is missing.
        request.keep(piece(1))
        request.bodyEnded(trailers: [])
        #expect(!request.isWhole && request.content.readableBytes == 0 && room.left == 100)
    }

    @Test func bodyAnnouncedTooLongIsNeverBuffered() throws {
        let request = try kept(.length(11))
        request.keep(piece(5))
        request.bodyEnded(trailers: [])
        #expect(request.body == .given && !request.isWhole && room.left == 100)
    }

    @Test func nothingIsBufferedWithoutMemoryForAll() throws {
        let room = ReplayBudget(15)
        var first: ReplayableRequest? = try kept(.chunked, room: room)
        first?.keep(piece(10))
        let second = try kept(.chunked, room: room)
        second.keep(piece(5))
        #expect(room.left == 0)
        second.keep(piece(1))
        #expect(second.body == .given && room.left == 5)
        first?.bodyEnded(trailers: [])
        #expect(first?.isWhole == true)
        first = nil
        #expect(room.left == 15)
    }

    /// After random events all reserved bytes and heads are returned.
    @Test func memoryIsConserved() throws {
        var random = SplitMix64(seed: 42)
        let room = ReplayBudget(1000)
        var requests: [ReplayableRequest?] = Array(repeating: nil, count: 20)
        for _ in 0..<5000 {
            let index = random.below(requests.count)
            switch random.below(6) {
            case 0:
                requests[index] = nil
                let framing = random.pick([RequestFraming.none, .chunked, .length(random.below(300))])
                requests[index] = try kept(framing, limit: 200, room: room)
            case 1: requests[index]?.bodyEnded(trailers: [])
            case 2: requests[index] = nil
            default: requests[index]?.keep(piece(random.below(120)))
            }
            let held = requests.reduce(0) { $0 + ($1?.content.readableBytes ?? 0) }
            #expect(room.left >= 0 && room.left + held == 1000)
        }
        requests = []
        #expect(room.left == 1000)
    }
}
