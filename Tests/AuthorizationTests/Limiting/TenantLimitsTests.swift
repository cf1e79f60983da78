import ConfigurationText
import HTTPCore
import Tenants
import TestSupport
import Testing
import Time
import UpstreamTestSupport

@testable import Authorization

/// Limits as a decision checks them.
@Suite struct TenantLimitsTests {
    private static func pipeline(_ limits: [RateLimit], mode: Tenant.Mode = .enforce) throws -> RequestPipeline {
        var tenant = try RequestPipeline.tenant(access: [try RequestPipeline.rule("/open/**", .anyone)], mode: mode)
        tenant.rateLimits = limits
        let pipeline = RequestPipeline([tenant])
        pipeline.decisionContext.peer = try RequestPipeline.peer()
        return pipeline
    }

    private static func limit(_ key: RateLimit.Key, burst: Int, line: SourceLine = 0) -> RateLimit {
        RateLimit(key: key, count: 1, period: .seconds(10), burst: burst, line: line)
    }

    @Test func allowanceIsRestoredAtTheRate() throws {
        let pipeline = try Self.pipeline([Self.limit(.address, burst: 2)])
        for _ in 0..<2 { #expect(pipeline.get("/open/x").grant != nil) }
        let refusal = try #require(pipeline.get("/open/x", at: RequestPipeline.now + 3).refusal)
        #expect(refusal.status == 429 && refusal.code == .rateLimited)
        #expect(refusal.retryAfterSeconds == 7)
        #expect(
            refusal.fields == [
                HeaderField("RateLimit-Policy", "\"ip\";q=2;w=20"), HeaderField("RateLimit", "\"ip\";r=0;t=7"),
            ]
        )
        #expect(pipeline.get("/open/x", at: RequestPipeline.now + 10).grant != nil)
        #expect(pipeline.get("/open/x", at: RequestPipeline.now + 10).refusal?.retryAfterSeconds == 10)
    }

    /// How many of `count` requests pass; the others must be refused by a limit.
    private static func passed(
        _ count: Int,
        _ pipeline: RequestPipeline,
        _ path: String = "/open/x",
        token: String? = nil,
        lines: [String] = []
    ) -> Int {
        let answers = (0..<count).map { _ in pipeline.get(path, token: token, lines: lines) }
        #expect(answers.allSatisfy { $0.grant != nil || $0.refusal?.code == .rateLimited })
        return answers.count { $0.grant != nil }
    }

    @Test func claimLimitAppliesToTokensWithClaim() throws {
        let pipeline = try Self.pipeline([Self.limit(.claim("org.id"), burst: 2)])
        let first = try RequestPipeline.token(["org": ["id": "acme"]])
        let second = try RequestPipeline.token(["sub": "bob", "org": ["id": "acme"]])
        #expect(Self.passed(1, pipeline, "/x", token: first) == 1)
        #expect(Self.passed(3, pipeline, "/x", token: second) == 1)
        #expect(Self.passed(4, pipeline, "/x", token: try RequestPipeline.token()) == 4)
    }

    @Test func limitPathPatternMatchesEveryReading() throws {
        var limit = Self.limit(.address, burst: 2)
        limit.path = try PathPattern("/open/a/**")
        let pipeline = try Self.pipeline([limit])
        #expect(Self.passed(5, pipeline, "/open/b") == 5)
        for path in ["/open/a/x", "/open//a/x/"] { #expect(Self.passed(1, pipeline, path) == 1, "\(path)") }
        #expect(Self.passed(1, pipeline, "/open/%61/y") == 0)
        #expect(Self.passed(1, pipeline, "/open/b") == 1)
    }

    @Test func refusedRequestUsesNoOtherLimit() throws {
        var few = Self.limit(.tenant, burst: 2)
        few.path = try PathPattern("/open/few")
        let pipeline = try Self.pipeline([Self.limit(.address, burst: 4), few])
        #expect(Self.passed(6, pipeline, "/open/few") == 2)
        #expect(Self.passed(6, pipeline) == 2)
        let fields = pipeline.get("/open/x").refusal?.fields
        #expect(fields?.first == HeaderField("RateLimit-Policy", "\"ip\";q=4;w=40"))
    }

    @Test func observedLimitLeavesTheOthers() throws {
        var observed = Self.limit(.address, burst: 1)
        observed.mode = .observe
        let pipeline = try Self.pipeline([observed, Self.limit(.address, burst: 3)])
        #expect(Self.passed(2, pipeline) == 2)
        #expect(pipeline.decisionContext.observed?.refusal.code == .rateLimited)
        #expect(Self.passed(3, pipeline) == 1)
    }

    @Test func addressIsOfClientBehindTrustedProxy() throws {
        let pipeline = try Self.pipeline([Self.limit(.address, burst: 2)])
        pipeline.decisionContext.peer = try RequestPipeline.peer("192.0.2.9", trusted: true)
        for (client, expected) in [
            ("203.0.113.7", 2),
            // Addresses left of the client are unverified.
            ("198.51.100.1, 203.0.113.7", 0), ("203.0.113.8", 2),
            // An IPv6 client is its /64 prefix.
            ("2001:db8::1", 2), ("2001:db8::ffff:1", 0), ("2001:db8:0:1::1", 2),
            // An IPv4-mapped address counts as IPv4.
            ("::ffff:203.0.113.7", 0),
        ] {
            #expect(Self.passed(3, pipeline, lines: ["X-Forwarded-For: \(client)"]) == expected, "\(client)")
        }
        // Without it the proxy itself is the client.
        #expect(Self.passed(3, pipeline) == 2)
    }

    @Test func untrustedPeerCannotSetLimitAddress() throws {
        let pipeline = try Self.pipeline([Self.limit(.address, burst: 2)])
        let passed = (1...5).map { Self.passed(1, pipeline, lines: ["X-Forwarded-For: 203.0.113.\($0)"]) }
        #expect(passed == [1, 1, 0, 0, 0])
    }

    @Test func rehearsalUsesNothingAndReportsTheRest() throws {
        let pipeline = try Self.pipeline([
            Self.limit(.address, burst: 2, line: 12), Self.limit(.subject, burst: 1, line: 13),
        ])
        let token = try RequestPipeline.token()
        #expect(pipeline.get("/x", token: token).grant != nil)
        pipeline.decisionContext.source.isRehearsal = true
        for _ in 0..<3 {
            let explanation = Explanation()
            pipeline.decisionContext.explanation = explanation
            #expect(pipeline.get("/x", token: token).refusal?.code == .rateLimited)
            #expect(
                explanation.entries.filter { $0.step == .limit } == [
                    Explanation.Entry(step: .limit, text: "ip: 1 of 2 left", line: 12),
                    Explanation.Entry(step: .limit, text: "subject: none left for 10 s", line: 13),
                ]
            )
        }
        pipeline.decisionContext.source.isRehearsal = false
        pipeline.decisionContext.explanation = nil
        #expect(pipeline.get("/open/x").grant != nil)
        #expect(pipeline.get("/open/x").refusal?.code == .rateLimited)
    }

    @Test func limitsThatDoNotApplyAreExplainedToo() throws {
        var elsewhere = Self.limit(.address, burst: 2)
        elsewhere.path = try PathPattern("/api/**")
        let pipeline = try Self.pipeline([elsewhere, Self.limit(.claim("org"), burst: 2)])
        let explanation = Explanation()
        pipeline.decisionContext.explanation = explanation
        #expect(pipeline.get("/x", token: try RequestPipeline.token()).grant != nil)
        let texts = explanation.entries.filter { $0.step == .limit }.map(\.text)
        #expect(texts == ["ip: not for this path", "claim:org: the caller has none"])
        pipeline.decisionContext.peer = nil
        let nobody = Explanation()
        pipeline.decisionContext.explanation = nobody
        #expect(pipeline.get("/api/x", token: try RequestPipeline.token()).grant != nil)
        #expect(nobody.entries.contains { $0.text == "ip: no address is known" })
    }

    @Test func observedLimitNotesTheRefusalAndForwards() throws {
        let pipeline = try Self.pipeline([Self.limit(.address, burst: 1, line: 9)], mode: .observe)
        #expect(pipeline.get("/open/x").grant?.outcome == .anonymous)
        #expect(pipeline.get("/open/x").grant?.outcome == .refused(.rateLimited))
        #expect(pipeline.decisionContext.observed?.refusal.code == .rateLimited)
    }

    @Test func laterRefusalKeepsEarlierCounts() throws {
        let pipeline = try Self.pipeline([Self.limit(.tenant, burst: 2)])
        #expect(pipeline.get("/x").refusal?.code == .missingToken)
        #expect(pipeline.get("/x", token: try RequestPipeline.token(forged: true)).refusal?.code == .invalidToken)
        #expect(pipeline.get("/x", token: try RequestPipeline.token()).refusal?.code == .rateLimited)
    }

    @Test func repeatedDecisionIsCountedOnce() throws {
        let pipeline = try Self.pipeline([Self.limit(.subject, burst: 2), Self.limit(.claim("role"), burst: 2)])
        let token = try RequestPipeline.token()
        let request = RequestPipeline.request("/x", lines: ["Authorization: Bearer \(token)"])
        for _ in 0..<2 {
            #expect(pipeline.ask(request).grant != nil)
            // As after a refresh on the backend's 401.
            for _ in 0..<2 { #expect(pipeline.ask(request, allowing: .all.subtracting(.refresh)).grant != nil) }
        }
        #expect(pipeline.ask(request).refusal?.code == .rateLimited)
    }

    @Test func limitNamesAreUnique() throws {
        var tenant = try RequestPipeline.tenant()
        tenant.rateLimits = ["x", "x", "x-2", "x"].map { Self.limit(.claim($0), burst: 1) }
        let names = LimitRule.all(of: tenant, index: 0).map(\.name)
        #expect(names == ["claim:x", "claim:x-2", "claim:x-2-2", "claim:x-3"])
    }

    @Test func limitNamesFitIntoTheField() throws {
        var tenant = try RequestPipeline.tenant()
        tenant.rateLimits = [
            Self.limit(.claim("a\"b\\ü"), burst: 1), Self.limit(.address, burst: 1), Self.limit(.address, burst: 3),
        ]
        let rules = LimitRule.all(of: tenant, index: 0)
        #expect(rules.map(\.name) == ["claim:a\"b\\ü", "ip", "ip-2"])
        let lines = rules[0].refusal(wait: 1).fields.map(\.line)
        #expect(lines.first == #"RateLimit-Policy: "claim:a\"b\\?";q=1;w=10"#)
        #expect(lines.last?.hasSuffix(";r=0;t=1") == true)
    }
}
