import Counting
import Store
import Tenants
import TestSupport
import Testing
import UpstreamTestSupport
import Verification

@testable import Authorization
@testable import SharedState

/// Callers whose issuer has subject and roles elsewhere: every part of a decision goes by the mapped ones.
struct MappedCallerTests {
    private static func tenant(_ places: [ClaimMapping.Field: [String]]) throws -> Tenant {
        var tenant = try RequestPipeline.tenant(
            access: [
                RequestPipeline.rule("/admin", .signedIn(roles: ["admin"], scopes: [])),
                RequestPipeline.rule("/orders", .signedIn(roles: [], scopes: ["orders.read"])),
            ]
        )
        tenant.authenticate.policy.issuers[0].mapping = ClaimMapping(
            places.mapValues { $0.compactMap { ClaimPlace($0) } }
        )
        return tenant
    }

    private static func keycloak() throws -> Tenant {
        try tenant([.subject: ["/oid"], .roles: ["/realm_access/roles"], .scopes: ["/scp"], .email: ["/emails/0"]])
    }

    /// - Parameter changes: Claims that differ; nil removes one.
    private static func token(_ changes: KeyValuePairs<String, JSONValue?> = [:]) throws -> String {
        var claims: JSONObject = [
            "iss": .string(RequestPipeline.issuer), "sub": "alice", "oid": "7f", "scp": "orders.read",
            "realm_access": ["roles": ["admin", "user"]], "emails": ["ann@shop.test"], "email": "alice@evil.test",
            "exp": .number(JSONNumber(Int(RequestPipeline.now.seconds) + 600)),
        ]
        for (name, value) in changes { claims[name] = value }
        return try SampleTenant.token(of: claims)
    }

    @Test func mappedRolesAndScopesSatisfyRules() throws {
        let pipeline = RequestPipeline([try Self.keycloak()])
        for _ in 0..<2 {
            #expect(pipeline.get("/admin", token: try Self.token()).grant != nil)
            #expect(pipeline.get("/orders", token: try Self.token()).grant != nil)
        }
    }

    @Test func missingRolesLetNobodyIn() throws {
        let pipeline = RequestPipeline([try Self.keycloak()])
        for roles in [nil, ["roles": ["user"]], ["roles": 1], [:], ["roles": ["admin": false]]] as [JSONValue?] {
            let token = try Self.token(["realm_access": roles, "role": "admin"])
            #expect(pipeline.get("/admin", token: token).refusal?.code == .insufficientRole)
        }
        let token = try Self.token(["scp": nil, "scope": "orders.read"])
        #expect(pipeline.get("/orders", token: token).refusal?.code == .insufficientScope)
    }

    @Test func backendIsToldOfTheMappedCaller() throws {
        let pipeline = RequestPipeline([try Self.keycloak()])
        let request = RequestPipeline.request(
            "/admin",
            lines: ["Authorization: Bearer \(try Self.token())", "X-User-Id: root"]
        )
        let bytes = try #require(pipeline.forwardedBytes(request, from: try RequestPipeline.peer()))
        let head = String(decoding: bytes, as: UTF8.self)
        #expect(head.contains("X-User-Id: 7f\r\n"))
        #expect(head.contains("X-User-Role: admin,user\r\n"))
        #expect(head.contains("X-User-Email: ann@shop.test\r\n"))
        #expect(!head.contains("X-User-Id: alice") && !head.contains("root"))
    }

    @Test func tokenWithoutMappedSubjectIsInvalid() throws {
        let pipeline = RequestPipeline([try Self.keycloak()])
        for _ in 0..<2 {
            let refusal = pipeline.get("/admin", token: try Self.token(["oid": nil])).refusal
            #expect(refusal?.code == .invalidToken && refusal?.detail == "the claim /oid is required and missing")
        }
    }

    @Test func revocationOfASubjectIsOfTheMappedOne() throws {
        let pipeline = RequestPipeline([try Self.keycloak()])
        let token = try Self.token()
        func revoke(_ subject: String, _ version: UInt64) {
            var set = pipeline.tenants[0].revocations.set
            let entry = RevocationEntry(revokedAt: RequestPipeline.now, expiresAt: .distantFuture, version: version)
            _ = set.apply(entry, for: RevocationDigest(.subject(subject)))
            pipeline.tenants[0].revocations.use(set)
        }
        revoke("alice", 1)
        #expect(pipeline.get("/admin", token: token).grant != nil)
        revoke("7f", 2)
        for _ in 0..<2 { #expect(pipeline.get("/admin", token: token).refusal == .tokenRevoked) }
    }

    @Test func limitsBySubjectCountTheMappedOne() throws {
        var tenant = try Self.keycloak()
        tenant.rateLimits = [RateLimit(key: .subject, count: 1, period: .seconds(10), burst: 1)]
        let pipeline = RequestPipeline([tenant])
        #expect(pipeline.get("/admin", token: try Self.token()).grant != nil)
        // Another token of the same `oid`, and one of another.
        #expect(pipeline.get("/admin", token: try Self.token(["sid": "s2"])).refusal?.code == .rateLimited)
        #expect(pipeline.get("/admin", token: try Self.token(["oid": "80"])).grant != nil)
    }

    @Test func logAndBalancingGoByTheMappedSubject() throws {
        let pipeline = RequestPipeline([try Self.keycloak()])
        let caller = try #require(pipeline.get("/admin", token: try Self.token()).grant?.caller)
        #expect(caller.principal.subject == "7f")
        #expect(caller.subjectInJSON == Array("7f".utf8))
        #expect(caller.subjectHash == StableHash.of("7f".utf8))
    }
}
