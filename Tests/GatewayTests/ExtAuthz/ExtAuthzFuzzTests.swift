import ExtAuthz
import Tenants
import TestSupport
import Testing
import UpstreamTestSupport

/// Random descriptions of requests: each is replied to at once, and none gets through
/// without a good token.
@Suite struct ExtAuthzFuzzTests {
    private static let names = [
        "authorization", "Authorization", ":path", ":method", ":authority", "host", "cookie", "x-user-id", "x_user_id",
        "connection", "transfer-encoding", "content-length", "x-forwarded-for", "x-forwarded-host", "forwarded",
        "upgrade", "expect", "x-request-id", "",
    ]
    private static let values = [
        "", "GET", "/", "/open", "app.test", "other.test", "chunked", "5", "close", "authorization", "a=b; c=d",
        "Bearer x", "10.0.0.1", "websocket", "100-continue", "\r\n", "x\r\nauthorization: Bearer y", "\0", "\u{e9}",
    ]

    @Test func randomRequestsWithoutValidTokenAreRefused() throws {
        let pipeline = try ExtAuthzPipeline([RequestPipeline.tenant(access: [RequestPipeline.rule("/open", .anyone)])])
        let good = try RequestPipeline.token()
        let bad = try RequestPipeline.token(forged: true)
        var random = SplitMix64(seed: 0x6578_7461_7574_687a)
        var granted = 0
        for round in 0..<6000 {
            let isGood = random.oneIn(3)
            var request = ExtAuthzPipeline.request("/private?q=1", token: isGood ? good : random.oneIn(2) ? bad : nil)
            for _ in 0..<random.below(3) { spoil(&request, &random) }
            guard let answer = pipeline.ask(request) else {
                Issue.record("round \(round) is not answered: \(request)")
                return
            }
            guard case .granted(let changes) = answer else { continue }
            granted += 1
            let path = request.path.split(separator: UInt8(ascii: "?"), omittingEmptySubsequences: false).first
            guard path.map(Array.init) == Array("/open".utf8) || hasGoodToken(request, good) else {
                Issue.record("round \(round) gets through: \(request)")
                return
            }
            #expect(hasGoodToken(request, good) || changes.set.isEmpty)
            if !changes.set.isEmpty { #expect(changes.setTexts.contains("X-User-Id: alice")) }
        }
        #expect(granted > 500, "the good ones must be among them")
    }

    private func hasGoodToken(_ request: QueriedRequest, _ token: String) -> Bool {
        request.fields.contains { field in
            String(decoding: field.name, as: UTF8.self).lowercased() == "authorization"
                && String(decoding: field.value, as: UTF8.self).contains(token)
        }
    }

    private func spoil(_ request: inout QueriedRequest, _ random: inout SplitMix64) {
        switch random.below(8) {
        case 0: request.method = random.oneIn(2) ? Array(random.pick(Self.values).utf8) : random.mutated(request.method)
        case 1: request.path = random.oneIn(2) ? Array(random.pick(Self.values).utf8) : random.mutated(request.path)
        case 2: request.host = random.oneIn(2) ? Array(random.pick(Self.values).utf8) : random.mutated(request.host)
        case 3: request.scheme = random.mutated(request.scheme)
        case 4: request.source = random.oneIn(2) ? nil : request.source.map { random.mutated($0) }
        case 5:
            guard !request.fields.isEmpty else { return }
            let place = random.below(request.fields.count)
            request.fields[place].value = random.mutated(request.fields[place].value)
        default:
            let name = Array(random.pick(Self.names).utf8)
            let value = Array(random.pick(Self.values).utf8)
            request.fields.insert(
                AuthzField(name: random.oneIn(8) ? random.mutated(name) : name, value: value),
                at: random.within(0...request.fields.count)
            )
        }
    }
}
