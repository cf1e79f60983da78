import Tenants
import Testing

/// What `rate_limits` comes out as.
struct RateLimitTests {
    private static func limits(_ text: String) throws -> [RateLimit] {
        let result = Sample.read(Sample.tenant(more: "rate_limits: [\(text)]"))
        #expect(result.diagnostics.isEmpty)
        return try #require(result.configuration?.tenants.first).rateLimits
    }

    @Test func everyKeyIsRead() throws {
        let limits = try Self.limits(
            "{ by: ip, rate: 20/s, burst: 40, path: /api/** }, "
                + "{ by: subject, rate: 600/m, shared: true, ahead: 7, mode: observe }, "
                + "{ by: tenant, rate: 5000/h }, { by: 'claim:org.id', rate: 1/h }"
        )
        #expect(
            limits == [
                RateLimit(
                    key: .address,
                    count: 20,
                    period: .seconds(1),
                    burst: 40,
                    path: try PathPattern("/api/**"),
                    line: 8
                ),
                RateLimit(
                    key: .subject,
                    count: 600,
                    period: .seconds(60),
                    burst: 600,
                    isShared: true,
                    ahead: 7,
                    mode: .observe,
                    line: 8
                ),
                RateLimit(key: .tenant, count: 5000, period: .seconds(3600), burst: 1000, line: 8),
                RateLimit(key: .claim("org.id"), count: 1, period: .seconds(3600), burst: 1, line: 8),
            ]
        )
    }

    @Test func aheadDefaultsToTheBurst() throws {
        #expect(try Self.limits("{ by: ip, rate: 20/s, burst: 5, shared: true }").map(\.ahead) == [5])
    }

    @Test func tenantWithoutRateLimitsHasNone() throws {
        #expect(try Self.limits("").isEmpty)
    }

    private static let noRate =
        " is no rate: write a number of requests in a second, minute or hour, like 20/s, 600/m or 1000/h"

    @Test(arguments: [
        (
            "{ by: user, rate: 1/s }",
            #"8:25: "user" is not a key to count requests by: write ip, subject, tenant or claim:NAME"#
        ),
        (
            "{ by: 'claim:', rate: 1/s }",
            #"8:25: "claim:" is not a key to count requests by: write ip, subject, tenant or claim:NAME"#
        ),
        (
            "{ by: ip, rate: 20 }",
            "8:35: \"20\"\(noRate)"
        ),
        (
            "{ by: ip, rate: 0/s }",
            "8:35: \"0/s\"\(noRate)"
        ),
        (
            "{ by: ip, rate: 1.5/s }",
            "8:35: \"1.5/s\"\(noRate)"
        ),
        (
            "{ by: ip, rate: 3/d }",
            "8:35: \"3/d\"\(noRate)"
        ),
        (
            "{ by: ip, rate: 100001/s }",
            #"8:35: "100001/s" is more than 100000 requests a second: write less"#
        ),
        (
            "{ by: ip, rate: 1/h, burst: 25 }",
            #"8:47: a burst of 25 takes more than 24 hours to come back at this rate: write a smaller "burst""#
        ),
        (
            "{ by: ip, rate: 1/h, burst: 9223372036854775807 }",
            "8:47: \"burst\" must be a whole number, but is \"9223372036854775807\": give one from 1 to 1000000"
        ),
        (
            "{ by: ip, rate: 1/s, ahead: 1 }",
            #"8:40: "ahead" without "shared: true": this instance counts alone; add the one, or leave out the other"#
        ),
        (
            "{ by: ip, rate: 9/s, shared: true, ahead: 10 }",
            #"8:61: "ahead" is 10, more than the burst of 9: write at most that"#
        ),
        ("{ by: ip, rate: 9/s, path: x }", #"8:46: "path" is no path: a path starts with "/": write "/x""#),
        ("{ by: ip }", #"8:19: an item of "rate_limits" lacks "rate": add "rate: 20/s""#),
    ])
    func mistakeIsReportedAtItsPositionWithARemedy(text: String, message: String) {
        let result = Sample.read(Sample.tenant(more: "rate_limits: [\(text)]"))
        #expect(result.diagnostics.map(\.description) == ["t.yaml:\(message)"])
        #expect(result.configuration == nil)
    }
}
