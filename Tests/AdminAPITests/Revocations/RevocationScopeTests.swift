import Store
import TestSupport
import Testing
import Time
import Verification

@testable import AdminAPI
@testable import Tenants

/// What a request revokes for its tenant, and for how long that is kept.
struct RevocationScopeTests {
    private static let issuers = [SampleTenant.issuer, "https://other.test"]

    /// Its first issuer stands there twice, as it may with two algorithms.
    private func tenant() throws -> Tenant {
        var tenant = try SampleTenant.tenant()
        let first = try #require(tenant.authenticate.policy.issuers.first)
        let other = IssuerPolicy(issuer: Self.issuers[1], algorithms: [.hs256], keys: nil)
        tenant.authenticate.policy = VerificationPolicy(issuers: [first, first, other], leeway: 60)
        let pointer = try #require(JSONPointer("/token"))
        tenant.refresh = RefreshRules(
            grace: .seconds(3600),
            call: RefreshCall(strategy: .bearer, target: .backend(path: "/refresh"), accessToken: pointer),
            delivery: RefreshDelivery(header: "X-Refreshed-Token")
        )
        return tenant
    }

    private func scope(ofToken token: String) throws -> RevocationScope {
        try RevocationScope(.token(Secret(token)), tenant())
    }

    private func problem(ofToken token: String) throws -> AdminProblem? {
        let tenant = try tenant()
        do throws(AdminProblem) {
            _ = try RevocationScope(.token(Secret(token)), tenant)
            return nil
        } catch {
            return error
        }
    }

    @Test func tokenIDIsRevokedForEachIssuerOnce() throws {
        let scope = try RevocationScope(.tokenID("t1"), tenant())
        #expect(scope.targets == Self.issuers.map { .token(issuer: $0, tokenID: "t1") })
        #expect(scope.endOfUse == .distantFuture)
    }

    @Test(arguments: [
        (RevocationRequest.Selector.subject("alice"), RevocationTarget.subject("alice")),
        (.session("s1"), .session("s1")), (.all, .tenant),
    ])
    func otherTargetsAreKeptUntilWithdrawn(_ selector: RevocationRequest.Selector, _ target: RevocationTarget) throws {
        let scope = try RevocationScope(selector, tenant())
        #expect(scope.targets == [target])
        #expect(scope.endOfUse == .distantFuture)
    }

    @Test func tokenIsRevokedByItsIDUntilItExpires() throws {
        let scope = try scope(ofToken: SampleTenant.token(["jti": "t1"]))
        #expect(scope.targets == [.token(issuer: SampleTenant.issuer, tokenID: "t1")])
        #expect(scope.endOfUse == SampleTenant.now + 600 + 60 + 3600)
    }

    @Test(arguments: [nil, "" as JSONValue, 7 as JSONValue])
    func tokenWithoutAnIDIsRevokedByItsSigningInput(_ id: JSONValue?) throws {
        let token = try SampleTenant.token(["jti": id])
        let input = token.utf8.prefix { $0 != UInt8(ascii: ".") }.count + 1
        let end = try #require(token.utf8.dropFirst(input).firstIndex(of: UInt8(ascii: ".")))
        let signed = Array(token.utf8[..<end])
        #expect(try scope(ofToken: token).targets == [.signingInput(sha256: SHA256.digest(signed))])
    }

    @Test(arguments: [nil, "soon" as JSONValue, .null])
    func tokenWithoutAnExpiryIsRevokedForGood(_ expiry: JSONValue?) throws {
        #expect(try scope(ofToken: SampleTenant.token(["jti": "t1", "exp": expiry])).endOfUse == .distantFuture)
    }

    @Test func invalidTokenCanBeRevoked() throws {
        let forged = try SampleTenant.token(["jti": "t1"], forged: true)
        #expect(try scope(ofToken: forged).targets == [.token(issuer: SampleTenant.issuer, tokenID: "t1")])
        let expired = try SampleTenant.token(["jti": "t1", "exp": 1])
        #expect(try scope(ofToken: expired).endOfUse == 1 + 60 + 3600)
    }

    @Test(arguments: [nil, "https://issuer.test/" as JSONValue, "https://foreign.test" as JSONValue, 7 as JSONValue])
    func tokenOfAForeignIssuerIsRefused(_ issuer: JSONValue?) throws {
        let problem = try problem(ofToken: SampleTenant.token(["jti": "t1", "iss": issuer]))
        #expect(
            problem
                == .badRequest(
                    "\"token\" is not of this tenant: its iss is none of https://issuer.test, https://other.test"
                )
        )
    }

    @Test(arguments: ["x", "a.b.c", " ", "e30.e30.", "e30..e30"])
    func malformedTokenIsRefused(_ text: String) throws {
        let problem = try #require(try problem(ofToken: text))
        #expect(problem.code == .badRequest)
        #expect(problem.detail.hasPrefix("\"token\" cannot be revoked: "))
    }

    @Test func lineEndAfterATokenIsRefused() throws {
        #expect(try problem(ofToken: SampleTenant.token(["jti": "t1"]) + "\n")?.code == .badRequest)
    }

    @Test func tenantWithoutIssuersHasNoTokens() throws {
        var tenant = try tenant()
        tenant.authenticate.policy = VerificationPolicy(issuers: [])
        #expect(throws: AdminProblem.badRequest("the tenant has no issuers, and so no tokens to revoke")) {
            try RevocationScope(.tokenID("t1"), tenant)
        }
    }

    @Test func requestedLifetimeIsUsed() throws {
        let tenant = try tenant()
        let scope = try RevocationScope(.token(Secret(SampleTenant.token(["jti": "t1"]))), tenant)
        let kept = scope.revocations(of: tenant, for: .milliseconds(1500), reason: "lost", at: 1000)
        #expect(
            kept == [
                Revocation(
                    tenant: "app",
                    target: .token(issuer: SampleTenant.issuer, tokenID: "t1"),
                    revokedAt: 1000,
                    expiresAt: 1001.5,
                    reason: "lost"
                )
            ]
        )
        let ordinary = scope.revocations(of: tenant, for: nil, reason: nil, at: 1000)
        #expect(ordinary.map(\.expiresAt) == [scope.endOfUse])
    }
}
