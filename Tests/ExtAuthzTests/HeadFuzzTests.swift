import SwiftProtobuf
import TestSupport
import Testing

@testable import ExtAuthz
@testable import ExtAuthzMessages

/// Random bytes as a query: they are not a message, make no head, or make one head and nothing after it.
@Suite struct HeadFuzzTests {
    @Test func generatedHeadIsOneHead() throws {
        let message = Envoy_Service_Auth_V3_CheckRequest.with {
            $0.attributes.source.address.socketAddress.address = "192.0.2.7"
            $0.attributes.request.http.method = "GET"
            $0.attributes.request.http.path = "/a?b=c"
            $0.attributes.request.http.host = "app.test"
            $0.attributes.request.http.scheme = "https"
            $0.attributes.request.http.headerMap.headers = [":path", "cookie", "x-forwarded-for"].map { name in
                .with {
                    $0.key = name
                    $0.rawValue = .init("/a?b=c".utf8)
                }
            }
        }
        let whole: [UInt8] = try message.serializedBytes()
        var random = SplitMix64(seed: 0x6865_6164)
        var (messages, heads) = (0, 0)
        for _ in 0..<5000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                let telling = Array("\r\n\0 :,/*x".utf8).randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = telling
                case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 2: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                default: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &random))
                }
            }
            guard let question = try? QueriedRequest.read(bytes) else { continue }
            messages += 1
            guard let head = question.head() else { continue }
            heads += 1
            let ends = (3..<head.count).filter { head[($0 - 3)...$0].elementsEqual([0x0d, 0x0a, 0x0d, 0x0a]) }
            #expect(ends == [head.count - 1])
            #expect(!zip(head, head.dropFirst()).contains { $0 != 0x0d && $1 == 0x0a })
        }
        #expect(messages > 500 && heads > 200)
    }
}
