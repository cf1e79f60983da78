import Counting
import NIOCore
import Proxy
import ProxyTestSupport
import Tenants
import Testing
import UpstreamTestSupport

@testable import Authorization

/// Browsers' questions that come by way of another proxy, and what only looks like one.
@Suite struct AskedPreflightTests {
    private static let question = [
        ("origin", "https://front.test"), ("access-control-request-method", "PUT"),
        ("access-control-request-headers", "x-a"),
    ]

    private static func tenant(_ access: [AccessRule] = []) throws -> Tenant {
        var tenant = try Door.tenant(access: access)
        tenant.crossOrigin = CrossOriginRules(origins: ["https://front.test"], allowsCredentials: true)
        return tenant
    }

    @Test func envoyGivesTheBrowserTheAnswer() throws {
        let door = try ExtAuthzDoor([Self.tenant()])
        let answer = try door.denial(ExtAuthzDoor.request("/a", method: "OPTIONS", fields: Self.question))
        #expect(answer.status == 204)
        #expect(answer.body.isEmpty)
        let fields = answer.fields.map { "\($0.name): \($0.value)" }
        #expect(fields.contains("Access-Control-Allow-Origin: https://front.test"))
        #expect(fields.contains("Access-Control-Allow-Credentials: true"))
        #expect(fields.contains("Access-Control-Allow-Headers: x-a"))
    }

    @Test func envoyPassesNoneOn() throws {
        let door = try ExtAuthzDoor([Self.tenant()])
        let foreign = [("origin", "https://evil.test"), ("access-control-request-method", "PUT")]
        #expect(try door.denial(ExtAuthzDoor.request("/a", method: "OPTIONS", fields: foreign)).status == 403)
        #expect(try door.denial(ExtAuthzDoor.request("/a", method: "OPTIONS")).status == 401)
    }

    @Test func appThatWantsClientCertificatesIsRefused() throws {
        var tenant = try Self.tenant()
        tenant.tls = ServerCertificate(certificateFile: "c", keyFile: "k", clientCAFile: "ca")
        let door = try ExtAuthzDoor([tenant])
        let request = ExtAuthzDoor.request("/a", method: "OPTIONS", fields: Self.question)
        #expect(try door.denial(request).status == 421)
    }

    /// Where whatever is no refusal lets the request through.
    private static func verdict(_ tenant: Tenant, token: String? = nil) throws -> Authorizer.Decision? {
        let house = EmbeddedHouse([tenant])
        let lines = question.map { "\($0.0): \($0.1)" } + (token.map { ["Authorization: Bearer \($0)"] } ?? [])
        let bytes = ByteBuffer(bytes: Door.request("/a", method: "OPTIONS", lines: lines))
        let circumstances = Circumstances(peer: try Door.peer(), source: RequestSource(answersPreflights: false))
        var told: Authorizer.Decision?
        Inquiry(bytes, circumstances, worker: house.worker) { verdict, _ in told = verdict }
            .begin()
        return told
    }

    @Test func elsewhereItIsARequestLikeOthers() throws {
        guard case .refused(let refusal, _)? = try Self.verdict(Self.tenant()) else {
            Issue.record("a forged preflight passes")
            return
        }
        #expect(refusal == .missingToken)
        let open = [try Door.rule("/**", .anyone, methods: ["OPTIONS"])]
        guard case .granted(let grant)? = try Self.verdict(Self.tenant(open)) else {
            Issue.record("an open path is refused")
            return
        }
        #expect(grant.caller == nil)
    }

    @Test func elsewhereLimitsHold() throws {
        var tenant = try Self.tenant([Door.rule("/**", .anyone)])
        tenant.rateLimits = [RateLimit(key: .tenant, count: 1, period: .seconds(10), burst: 1)]
        let house = EmbeddedHouse([tenant])
        let lines = Self.question.map { "\($0.0): \($0.1)" }
        var codes: [RefusalCode?] = []
        for _ in 0..<2 {
            let bytes = ByteBuffer(bytes: Door.request("/a", method: "OPTIONS", lines: lines))
            Inquiry(bytes, Circumstances(source: RequestSource(answersPreflights: false)), worker: house.worker) {
                verdict,
                _ in
                if case .refused(let refusal, _) = verdict { codes.append(refusal.code) } else { codes.append(nil) }
            }
            .begin()
        }
        #expect(codes == [nil, .rateLimited])
    }
}
