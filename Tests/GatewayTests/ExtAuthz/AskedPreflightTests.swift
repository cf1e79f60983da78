import Counting
import NIOCore
import Proxy
import ProxyTestSupport
import Testing
import UpstreamTestSupport

@testable import Authorization
@testable import Tenants

/// Preflight requests by way of another proxy, and requests that only look like one.
@Suite struct AskedPreflightTests {
    private static let question = [
        ("origin", "https://front.test"), ("access-control-request-method", "PUT"),
        ("access-control-request-headers", "x-a"),
    ]

    private static func tenant(_ access: [AccessRule] = []) throws -> Tenant {
        var tenant = try RequestPipeline.tenant(access: access)
        tenant.crossOrigin = CrossOriginRules(origins: ["https://front.test"], allowsCredentials: true)
        return tenant
    }

    @Test func preflightResponseIsReturnedThroughEnvoy() throws {
        let pipeline = try ExtAuthzPipeline([Self.tenant()])
        let answer = try pipeline.denial(ExtAuthzPipeline.request("/a", method: "OPTIONS", fields: Self.question))
        #expect(answer.status == 204)
        #expect(answer.body.isEmpty)
        let fields = answer.fields.map { "\($0.name): \($0.value)" }
        #expect(fields.contains("Access-Control-Allow-Origin: https://front.test"))
        #expect(fields.contains("Access-Control-Allow-Credentials: true"))
        #expect(fields.contains("Access-Control-Allow-Headers: x-a"))
    }

    @Test func foreignPreflightIsDenied() throws {
        let pipeline = try ExtAuthzPipeline([Self.tenant()])
        let foreign = [("origin", "https://evil.test"), ("access-control-request-method", "PUT")]
        #expect(try pipeline.denial(ExtAuthzPipeline.request("/a", method: "OPTIONS", fields: foreign)).status == 403)
        #expect(try pipeline.denial(ExtAuthzPipeline.request("/a", method: "OPTIONS")).status == 401)
    }

    @Test func preflightForAppWithClientCertificatesIsRefused() throws {
        var tenant = try Self.tenant()
        tenant.tls = ServerCertificate(certificateFile: "c", keyFile: "k", clientCAFile: "ca")
        let pipeline = try ExtAuthzPipeline([tenant])
        let request = ExtAuthzPipeline.request("/a", method: "OPTIONS", fields: Self.question)
        #expect(try pipeline.denial(request).status == 421)
    }

    /// For a proxy that passes every request without a refusal.
    private static func verdict(_ tenant: Tenant, token: String? = nil) throws -> Authorizer.Decision? {
        let fixture = EmbeddedWorker([tenant])
        let lines = question.map { "\($0.0): \($0.1)" } + (token.map { ["Authorization: Bearer \($0)"] } ?? [])
        let bytes = ByteBuffer(bytes: RequestPipeline.request("/a", method: "OPTIONS", lines: lines))
        let decisionContext = DecisionContext(
            peer: try RequestPipeline.peer(),
            source: RequestSource(answersPreflights: false)
        )
        var told: Authorizer.Decision?
        DecisionQuery(bytes, decisionContext, worker: fixture.worker) { verdict, _ in told = verdict }
            .begin()
        return told
    }

    @Test func optionsWithoutCORSIsAnOrdinaryRequest() throws {
        guard case .refused(let refusal, _)? = try Self.verdict(Self.tenant()) else {
            Issue.record("a forged preflight passes")
            return
        }
        #expect(refusal == .missingToken)
        let open = [try RequestPipeline.rule("/**", .anyone, methods: ["OPTIONS"])]
        guard case .granted(let grant)? = try Self.verdict(Self.tenant(open)) else {
            Issue.record("an open path is refused")
            return
        }
        #expect(grant.caller == nil)
    }

    @Test func optionsWithoutCORSCountsAgainstLimits() throws {
        var tenant = try Self.tenant([RequestPipeline.rule("/**", .anyone)])
        tenant.rateLimits = [RateLimit(key: .tenant, count: 1, period: .seconds(10), burst: 1)]
        let fixture = EmbeddedWorker([tenant])
        let lines = Self.question.map { "\($0.0): \($0.1)" }
        var codes: [RefusalCode?] = []
        for _ in 0..<2 {
            let bytes = ByteBuffer(bytes: RequestPipeline.request("/a", method: "OPTIONS", lines: lines))
            DecisionQuery(
                bytes,
                DecisionContext(source: RequestSource(answersPreflights: false)),
                worker: fixture.worker
            ) {
                verdict,
                _ in
                if case .refused(let refusal, _) = verdict { codes.append(refusal.code) } else { codes.append(nil) }
            }
            .begin()
        }
        #expect(codes == [nil, .rateLimited])
    }
}
