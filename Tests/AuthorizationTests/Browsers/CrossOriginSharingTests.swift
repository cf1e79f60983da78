import HTTPCore
import TestSupport
import Testing
import UpstreamTestSupport

@testable import Authorization
@testable import Tenants

/// Decisions on preflights.
struct CrossOriginSharingTests {
    private static func pipeline(
        _ origins: [String] = ["https://front.test", "http://localhost:3000"],
        credentials: Bool = true,
        mode: Tenant.Mode = .enforce
    ) throws -> RequestPipeline {
        var tenant = try RequestPipeline.tenant(mode: mode)
        tenant.crossOrigin = CrossOriginRules(
            origins: origins,
            allowsCredentials: credentials,
            maxAge: .seconds(90),
            line: 5
        )
        return RequestPipeline([tenant])
    }

    private static func ask(_ pipeline: RequestPipeline, _ lines: [String], method: String = "OPTIONS")
        -> RequestPipeline.Outcome
    {
        pipeline.ask(RequestPipeline.request("/a", method: method, lines: lines))
    }

    private static func preflight(_ decision: RequestPipeline.Outcome) -> [String]? {
        guard case .preflight(let preflight) = decision else { return nil }
        return preflight.fields.map(\.line)
    }

    private static let vary = "Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers"

    @Test func allowedOriginMayCall() throws {
        let decision = Self.ask(
            try Self.pipeline(),
            [
                "Origin: https://front.test", "Access-Control-Request-Method: PUT",
                "Access-Control-Request-Headers: authorization,x-a , X-B", "Access-Control-Request-Headers: dpop",
            ]
        )
        #expect(
            Self.preflight(decision) == [
                "Access-Control-Allow-Origin: https://front.test", "Access-Control-Allow-Credentials: true",
                "Access-Control-Max-Age: 90",
                "Access-Control-Allow-Methods: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
                "Access-Control-Allow-Headers: authorization, x-a, X-B, dpop", Self.vary,
            ]
        )
    }

    @Test func everyOriginMayCallWithoutCookies() throws {
        let lines = ["Origin: https://any.test", "Access-Control-Request-Method: GET"]
        let decision = Self.preflight(Self.ask(try Self.pipeline(["*"], credentials: false), lines))
        #expect(decision?.first == "Access-Control-Allow-Origin: *")
        #expect(decision?.contains { $0.contains("Credentials") } == false)
        #expect(decision?.contains { $0.contains("Allow-Headers") } == false)
    }

    @Test func unusualMethodIsAllowed() throws {
        let lines = ["Origin: http://localhost:3000", "Access-Control-Request-Method: QUERY"]
        let decision = Self.preflight(Self.ask(try Self.pipeline(), lines))
        #expect(
            decision?.contains("Access-Control-Allow-Methods: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, QUERY")
                == true
        )
        #expect(decision?.first == "Access-Control-Allow-Origin: http://localhost:3000")
    }

    @Test(arguments: [
        "https://evil.test", "http://front.test", "https://front.test:444", "https://front.test.evil.test", "null", "*",
        "https://front.tes", "https://front.test/", "",
    ])
    func otherOriginIsRefused(origin: String) throws {
        let lines = ["Origin: \(origin)", "Access-Control-Request-Method: GET"]
        let refusal = try #require(Self.ask(try Self.pipeline(), lines).refusal)
        #expect(refusal.code == .crossSiteRequest)
        #expect(refusal.status == 403)
        #expect(refusal.detail.contains("cors.origins"))
        #expect(refusal.fields.map(\.line) == [Self.vary])
    }

    @Test(arguments: [
        ["Access-Control-Request-Method: GET", "Access-Control-Request-Method: GET"],
        ["Access-Control-Request-Method: "], ["Access-Control-Request-Method: GET PUT"],
        ["Access-Control-Request-Method: \(String(repeating: "A", count: 33))"],
        ["Access-Control-Request-Method: GET", "Origin: https://front.test"],
        ["Access-Control-Request-Method: GET", "Access-Control-Request-Headers: a b"],
        ["Access-Control-Request-Method: GET", "Access-Control-Request-Headers: a, \"b\""],
        [
            "Access-Control-Request-Method: GET",
            "Access-Control-Request-Headers: \(String(repeating: "a", count: 4097))",
        ],
    ])
    func malformedPreflightsAreRefused(lines: [String]) throws {
        let decision = Self.ask(try Self.pipeline(), ["Origin: https://front.test"] + lines)
        #expect(decision.refusal == .malformedPreflight)
    }

    @Test(arguments: [
        ("OPTIONS", ["Origin: https://front.test"]), ("OPTIONS", ["Access-Control-Request-Method: GET"]),
        ("OPTIONS", ["Origin: https://front.test", "Access_Control_Request_Method: GET"]),
        ("GET", ["Origin: https://front.test", "Access-Control-Request-Method: GET"]),
        ("options", ["Origin: https://front.test", "Access-Control-Request-Method: GET"]),
    ])
    func otherOptionsRequestsAreDecidedAsUsual(method: String, lines: [String]) throws {
        #expect(Self.ask(try Self.pipeline(), lines, method: method).refusal == .missingToken)
    }

    @Test func preflightsGoToTheBackendWithoutRules() throws {
        let lines = ["Origin: https://front.test", "Access-Control-Request-Method: GET"]
        #expect(Self.ask(RequestPipeline([try RequestPipeline.tenant()]), lines).refusal == .missingToken)
    }

    @Test func observedPreflightIsForwarded() throws {
        let pipeline = try Self.pipeline(mode: .observe)
        let decision = Self.ask(pipeline, ["Origin: https://evil.test", "Access-Control-Request-Method: GET"])
        #expect(decision.grant?.outcome == .refused(.crossSiteRequest))
        #expect(pipeline.decisionContext.observed?.refusal.code == .crossSiteRequest)
    }

    @Test func explanationHasTheReason() throws {
        let pipeline = try Self.pipeline()
        for (origin, text) in [("https://front.test", "is one of"), ("https://evil.test", "is not one of")] {
            let explanation = Explanation()
            pipeline.decisionContext.explanation = explanation
            _ = Self.ask(pipeline, ["Origin: \(origin)", "Access-Control-Request-Method: GET"])
            let entry = try #require(explanation.entries.first { $0.step == .preflight })
            #expect(entry.text.contains(text))
            #expect(entry.line == 5)
        }
    }
}
