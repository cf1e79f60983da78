import Authorization
import HTTPCore
import NIOCore
import Testing
import UpstreamTestSupport

/// Who has a parsed head, and for how long.
struct ReceivedRequestTests {
    private let parser = RequestHeadParser(maximumBytes: 8192, maximumFields: 100)

    private func received(_ bytes: [UInt8], from spare: SpareRequests) throws -> ReceivedRequest {
        let request = spare.take()
        try #require(request.parse(ByteBuffer(bytes: bytes), parser) == .complete)
        return request
    }

    @Test func headIsNeverThatOfAnotherRequest() throws {
        let spare = SpareRequests()
        let first = try received(RequestPipeline.request("/first"), from: spare)
        let second = try received(RequestPipeline.request("/second"), from: spare)
        #expect(first !== second)
        #expect(String(buffer: first.bytes).contains("/first"))
        spare.giveBack(first)
        let third = spare.take()
        #expect(third === first && third.bytes.readableBytes == 0, "nothing of the former request is left")
        #expect(String(buffer: second.bytes).contains("/second"))
    }

    @Test func incompleteHeadIsNotKept() {
        let request = SpareRequests().take()
        let outcome = request.parse(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: a"), parser)
        #expect(outcome == .incomplete && request.bytes.readableBytes == 0)
    }

    @Test func keptHeadHasNoFurtherBytes() throws {
        let head = RequestPipeline.request("/a")
        let request = try received(head + Array("a body".utf8), from: SpareRequests())
        request.keepHeadAlone()
        #expect(Array(request.bytes.readableBytesView) == head)
    }
}
