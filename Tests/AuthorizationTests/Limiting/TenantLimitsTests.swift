import Tenants
import TestSupport
import Testing
import Time
import UpstreamTestSupport

@testable import Authorization

/// Limits as a decision asks them.
@Suite struct TenantLimitsTests {
    private static func door(_ limits: [RateLimit], mode: Tenant.Mode = .enforce) throws -> Door {
        var tenant = try Door.tenant(access: [try Door.rule("/open/**", .anyone)], mode: mode)
        tenant.rateLimits = limits
        let door = Door([tenant])
        door.circumstances.peer = try Door.peer()
        return door
    }

    private static func limit(_ key: RateLimit.Key, burst: Int, line: Int = 0) -> RateLimit {
        RateLimit(key: key, count: 1, period: .seconds(10), burst: burst, line: line)
    }

    @Test func requestsComeBackAtTheRate() throws {
        let door = try Self.door([Self.limit(.address, burst: 2)])
        for _ in 0..<2 { #expect(door.get("/open/x").grant != nil) }
        let refusal = try #require(door.get("/open/x", at: Door.now + 3).refusal)
        #expect(refusal.status == 429 && refusal.code == .rateLimited)
        #expect(refusal.retryAfterSeconds == 7)
        let lines = String(decoding: refusal.lines, as: UTF8.self)
        #expect(lines == "RateLimit-Policy: \"ip\";q=2;w=20\r\nRateLimit: \"ip\";r=0;t=7\r\n")
        #expect(door.get("/open/x", at: Door.now + 10).grant != nil)
        #expect(door.get("/open/x", at: Door.now + 10).refusal?.retryAfterSeconds == 10)
    }

    @Test func aRehearsalUsesUpNothingAndTellsHowMuchIsLeft() throws {
        let door = try Self.door([Self.limit(.address, burst: 2, line: 12), Self.limit(.subject, burst: 1, line: 13)])
        let token = try Door.token()
        #expect(door.get("/x", token: token).grant != nil)
        door.circumstances.source.isRehearsal = true
        for _ in 0..<3 {
            let explanation = Explanation()
            door.circumstances.explanation = explanation
            #expect(door.get("/x", token: token).refusal?.code == .rateLimited)
            #expect(
                explanation.entries.filter { $0.step == .limit } == [
                    Explanation.Entry(step: .limit, text: "ip: 1 of 2 left", line: 12),
                    Explanation.Entry(step: .limit, text: "subject: none left for 10 s", line: 13),
                ]
            )
        }
        door.circumstances.source.isRehearsal = false
        door.circumstances.explanation = nil
        #expect(door.get("/open/x").grant != nil)
        #expect(door.get("/open/x").refusal?.code == .rateLimited)
    }

    @Test func whatDoesNotBearOnARequestIsSaidToo() throws {
        var elsewhere = Self.limit(.address, burst: 2)
        elsewhere.path = try PathPattern("/api/**")
        let door = try Self.door([elsewhere, Self.limit(.claim("org"), burst: 2)])
        let explanation = Explanation()
        door.circumstances.explanation = explanation
        #expect(door.get("/x", token: try Door.token()).grant != nil)
        let texts = explanation.entries.filter { $0.step == .limit }.map(\.text)
        #expect(texts == ["ip: not for this path", "claim:org: the caller has none"])
        door.circumstances.peer = nil
        let nobody = Explanation()
        door.circumstances.explanation = nobody
        #expect(door.get("/api/x", token: try Door.token()).grant != nil)
        #expect(nobody.entries.contains { $0.text == "ip: no address is known" })
    }

    @Test func inObserveModeTheRefusalIsNotedAndTheRequestGoesOn() throws {
        let door = try Self.door([Self.limit(.address, burst: 1, line: 9)], mode: .observe)
        #expect(door.get("/open/x").grant?.outcome == .anonymous)
        #expect(door.get("/open/x").grant?.outcome == .refused(.rateLimited))
        #expect(door.circumstances.observed?.refusal.code == .rateLimited)
    }

    @Test func aRequestThatIsRefusedLaterHasUsedUpWhatCameBeforeAuthentication() throws {
        let door = try Self.door([Self.limit(.tenant, burst: 2)])
        #expect(door.get("/x").refusal?.code == .missingToken)
        #expect(door.get("/x", token: try Door.token(forged: true)).refusal?.code == .invalidToken)
        #expect(door.get("/x", token: try Door.token()).refusal?.code == .rateLimited)
    }

    @Test func aRequestThatIsDecidedOnAgainIsCountedOnce() throws {
        let door = try Self.door([Self.limit(.subject, burst: 2), Self.limit(.claim("role"), burst: 2)])
        let token = try Door.token()
        let request = Door.request("/x", lines: ["Authorization: Bearer \(token)"])
        for _ in 0..<2 {
            #expect(door.ask(request).grant != nil)
            // As after a refresh on the backend's 401.
            for _ in 0..<2 { #expect(door.ask(request, allowing: .all.subtracting(.refresh)).grant != nil) }
        }
        #expect(door.ask(request).refusal?.code == .rateLimited)
    }

    @Test func noTwoLimitsHaveOneName() throws {
        var tenant = try Door.tenant()
        tenant.rateLimits = ["x", "x", "x-2", "x"].map { Self.limit(.claim($0), burst: 1) }
        let names = LimitRule.all(of: tenant, index: 0).map(\.name)
        #expect(names == ["claim:x", "claim:x-2", "claim:x-2-2", "claim:x-3"])
    }

    @Test func namesOfLimitsFitIntoTheField() throws {
        var tenant = try Door.tenant()
        tenant.rateLimits = [
            Self.limit(.claim("a\"b\\ü"), burst: 1), Self.limit(.address, burst: 1), Self.limit(.address, burst: 3),
        ]
        let rules = LimitRule.all(of: tenant, index: 0)
        #expect(rules.map(\.name) == ["claim:a\"b\\ü", "ip", "ip-2"])
        let lines = String(decoding: rules[0].refusal(wait: 1).lines, as: UTF8.self)
        #expect(lines.hasPrefix(#"RateLimit-Policy: "claim:a\"b\\?";q=1;w=10"#))
        #expect(lines.hasSuffix(";r=0;t=1\r\n"))
    }
}
