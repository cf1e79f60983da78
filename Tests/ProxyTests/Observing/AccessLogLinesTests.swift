import ProxyTestSupport
import Tenants
import TestSupport
import Testing
import Upstream
import UpstreamTestSupport
import Verification

@testable import Authorization
@testable import Proxy

struct AccessLogLinesTests {
    private static let members =
        "time request_id tenant method path status bytes duration_ms overhead_ms outcome subject refreshed backend "
        + "server protocol remote"

    private func caller(_ subject: String) throws -> Caller {
        let tenant = try RequestPipeline.tenant()
        let principal = try TokenVerifier(tenant.authenticate.policy)
            .verify(Array(try RequestPipeline.token(["sub": .string(subject)]).utf8), at: RequestPipeline.now)
        return Caller(principal, tenant: tenant)
    }

    private func line(_ record: ExchangeRecord, peer: Peer, duration: UInt64 = 0, overhead: UInt64 = 0) throws
        -> JSONObject
    {
        var lines = AccessLogLines()
        lines.append(record, peer: peer, duration: duration, overhead: overhead, unixTime: 784_111_777.25)
        var bytes = lines.take()
        #expect(bytes.popLast() == 0x0a)
        #expect(!bytes.contains(0x0a))
        return try #require(try JSONParser.parse(bytes).object)
    }

    @Test func lineHasTheDocumentedMembersInOrder() throws {
        let fixture = try EmbeddedWorker()
        var record = ExchangeRecord(startedAt: 0, id: RequestPipeline.requestID)
        record.request.logFragment = AccessLogLines.fragment(
            tenant: "app",
            method: Array("GET".utf8).span,
            path: Array("/a\"b\\".utf8).span
        )
        record.response.status = 200
        record.response.bodyBytes = 512
        record.outcome = .granted
        record.user.caller = try caller("al\"ice\u{e9}")
        record.upstream.server = fixture.pools[0]
        let object = try line(record, peer: RequestPipeline.peer("2001:db8::7"), duration: 12_345_678, overhead: 45_999)
        #expect(object.members.map(\.name) == Self.members.split(separator: " ").map(String.init))
        #expect(object["time"] == "1994-11-06T08:49:37.250Z")
        #expect(object["request_id"] == .string(RequestPipeline.requestID.text))
        #expect(object["tenant"] == "app")
        #expect(object["method"] == "GET")
        #expect(object["path"] == "/a\"b\\")
        #expect(object["status"] == 200)
        #expect(object["bytes"] == 512)
        #expect(object["duration_ms"]?.double == 12.345)
        #expect(object["overhead_ms"]?.double == 0.045)
        #expect(object["outcome"] == "granted")
        #expect(object["subject"] == "al\"ice\u{e9}")
        #expect(object["refreshed"] == false)
        #expect(object["server"] == "http://127.0.0.1:9001")
        #expect(object["protocol"] == "HTTP/1.1")
        #expect(object["remote"] == "2001:db8::7")
    }

    @Test func refusalHasItsReason() throws {
        var record = ExchangeRecord(startedAt: 0, id: RequestPipeline.requestID)
        record.outcome = .refused(.invalidToken)
        record.reason = "the token's \"aud\" is another"
        let object = try line(record, peer: RequestPipeline.peer())
        #expect(object["reason"] == "the token's \"aud\" is another")
        let names = object.members.map(\.name)
        #expect(names.firstIndex(of: "reason") == names.firstIndex(of: "outcome").map { $0 + 1 })
    }

    @Test func unknownMembersAreNull() throws {
        var record = ExchangeRecord(startedAt: 0, id: RequestPipeline.requestID)
        record.request.version = .http10
        record.response.status = 400
        record.outcome = .refused(.badRequest)
        let object = try line(record, peer: RequestPipeline.peer())
        #expect(object.members.map(\.name) == Self.members.split(separator: " ").map(String.init))
        for name in ["tenant", "method", "path", "subject", "server"] { #expect(object[name] == .null) }
        #expect(object["outcome"] == "bad_request")
        #expect(object["protocol"] == "HTTP/1.0")
        record.request.logFragment = AccessLogLines.fragment(
            tenant: nil,
            method: Array("GET".utf8).span,
            path: Array("/".utf8).span
        )
        #expect(try line(record, peer: RequestPipeline.peer())["tenant"] == .null)
    }

    @Test func anyPathAndSubjectGiveOneLineOfJSON() throws {
        var random = SplitMix64(seed: 130)
        let texts = ["a", "\"", "\\", "\n", "\u{0}", "\u{7f}", "\u{e9}", "\u{2028}", "/", "{"]
        for _ in 0..<300 {
            let path = "/" + (0..<random.below(9)).map { _ in random.pick(texts) }.joined()
            let subject = (0..<random.below(9)).map { _ in random.pick(texts) }.joined()
            var record = ExchangeRecord(startedAt: 0, id: RequestPipeline.requestID)
            record.request.logFragment = AccessLogLines.fragment(
                tenant: "t",
                method: Array("M".utf8).span,
                path: Array(path.utf8).span
            )
            record.user.caller = try caller(subject)
            let object = try line(record, peer: RequestPipeline.peer())
            #expect(object["path"] == .string(path))
            #expect(object["subject"] == (subject.isEmpty ? .null : .string(subject)))
        }
    }

    @Test func linesAreWrittenOnce() throws {
        var lines = AccessLogLines()
        let record = ExchangeRecord(startedAt: 0, id: RequestPipeline.requestID)
        for _ in 0..<3 { lines.append(record, peer: try RequestPipeline.peer(), duration: 0, overhead: 0, unixTime: 0) }
        #expect(lines.take().count { $0 == 0x0a } == 3)
        #expect(lines.count == 0)
        #expect(lines.take().isEmpty)
    }
}
