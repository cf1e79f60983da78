import Store
import Tenants
import TestSupport
import Testing
import Time
import Verification

@testable import AdminAPI
@testable import SharedState

/// What opaque tokens are revoked by, and for how long that is kept.
struct OpaqueRevocationTests {
    private static let token = "2YotnFZFEjr1zCsicMWpAA"
    private static let digest = SHA256.digest(Array(token.utf8))

    private func tenant(issuer: String? = nil) throws -> Tenant {
        var tenant = try SampleTenant.tenant()
        tenant.introspection = .test()
        tenant.introspection?.issuer = issuer
        return tenant
    }

    private func principal(_ claims: String = #""sub":"alice""#) throws -> Principal {
        let reply = try #require(IntrospectionResponse(Array(#"{"active":true,\#(claims)}"#.utf8)))
        return try reply.principal(of: Array(Self.token.utf8), IntrospectionPolicy(issuer: "i"), at: SampleTenant.now)
    }

    private func isRevoked(_ claims: String, by target: RevocationTarget, at revokedAt: UnixTime = SampleTenant.now)
        throws
        -> Bool
    {
        var set = RevocationSet()
        let entry = RevocationEntry(revokedAt: revokedAt, expiresAt: .distantFuture, version: 1)
        _ = set.apply(entry, for: RevocationDigest(target))
        return set.isRevoked(RevocationMarks(try principal(claims)), at: SampleTenant.now)
    }

    @Test func opaqueTokenIsRevokedByItsDigest() throws {
        for claims in [#""sub":"a""#, #""jti":"t1""#] {
            #expect(try isRevoked(claims, by: .signingInput(sha256: Self.digest)))
            #expect(try !isRevoked(claims, by: .signingInput(sha256: SHA256.digest([1]))))
            #expect(RevocationTarget(tokenOf: try principal(claims)) == .signingInput(sha256: Self.digest))
        }
    }

    @Test func opaqueTokenIsRevokedByItsIDToo() throws {
        #expect(try isRevoked(#""jti":"t1""#, by: .token(issuer: "i", tokenID: "t1")))
        #expect(try !isRevoked(#""jti":"t1""#, by: .token(issuer: "j", tokenID: "t1")))
        #expect(try !isRevoked(#""jti":"t2""#, by: .token(issuer: "i", tokenID: "t1")))
    }

    @Test func sessionAndSubjectOfAnOpaqueTokenAreRevoked() throws {
        #expect(try isRevoked(#""sid":"s1""#, by: .session("s1")))
        #expect(try isRevoked(#""sub":"a","iat":1799999999"#, by: .subject("a")))
        #expect(try !isRevoked(#""sub":"a","iat":1800000001"#, by: .subject("a")))
        // A token without `iat` falls to any.
        #expect(try isRevoked(#""sub":"a""#, by: .subject("a"), at: 1))
        #expect(try isRevoked(#""sub":"a""#, by: .tenant, at: 1))
    }

    @Test func adminAndSignOutRevokeTheSame() throws {
        let scope = try RevocationScope(.token(Secret(Self.token)), tenant())
        #expect(scope.targets == [.signingInput(sha256: Self.digest)])
        let kept = scope.revocations(of: try tenant(), for: nil, reason: nil, at: SampleTenant.now).map(\.expiresAt)
        #expect(kept == [SampleTenant.now + 365 * 86_400])
        let expiries = scope.revocations(of: try tenant(), for: .seconds(60), reason: nil, at: SampleTenant.now).map(
            \.expiresAt
        )
        #expect(expiries == [SampleTenant.now + 60])
    }

    @Test func tokenIDIsRevokedForTheIntrospectedIssuerToo() throws {
        let without = try RevocationScope(.tokenID("t1"), tenant()).targets
        #expect(
            without == [
                .token(issuer: SampleTenant.issuer, tokenID: "t1"),
                .token(issuer: "http://127.0.0.1:9/introspect", tokenID: "t1"),
            ]
        )
        let named = try RevocationScope(.tokenID("t1"), tenant(issuer: SampleTenant.issuer)).targets
        #expect(named == [.token(issuer: SampleTenant.issuer, tokenID: "t1")])
    }

    @Test(arguments: ["a b", "a=b", ""])
    func malformedOpaqueTokenIsRefused(token: String) throws {
        let tenant = try tenant()
        #expect(throws: AdminProblem.self) { try RevocationScope(.token(Secret(token)), tenant) }
    }

    @Test func opaqueTokenIsRefusedWithoutIntrospection() throws {
        let tenant = try SampleTenant.tenant()
        #expect(throws: AdminProblem.self) { try RevocationScope(.token(Secret(Self.token)), tenant) }
    }

    /// Its server may accept several texts for one token.
    @Test func signOutRevokesTheTokenByItsIDToo() throws {
        let tenant = try tenant()
        func targets(_ claims: String) throws -> [RevocationTarget] {
            SignOut.revocations(of: try principal(claims), tenant, at: SampleTenant.now).map(\.target)
        }
        let whole = RevocationTarget.signingInput(sha256: Self.digest)
        #expect(try targets(#""sub":"a""#) == [whole])
        #expect(try targets(#""jti":"t1""#) == [whole, .token(issuer: "i", tokenID: "t1")])
        #expect(try targets(#""jti":"t1","sid":"s1""#) == [whole, .token(issuer: "i", tokenID: "t1"), .session("s1")])
    }

    @Test func signOutIsKeptAsLongAsTheTokenIsUsable() throws {
        let tenant = try tenant()
        func kept(_ claims: String) throws -> [Double] {
            SignOut.revocations(of: try principal(claims), tenant, at: SampleTenant.now).map {
                $0.expiresAt - SampleTenant.now
            }
        }
        let month = 30.0 * 86_400
        #expect(try kept(#""sub":"a""#) == [365 * 86_400])
        // Its server may put the end off while it is used.
        #expect(try kept(#""exp":1800000600"#) == [month])
        #expect(try kept(#""exp":1800000600,"jti":"t1""#) == [month, month])
        #expect(try kept(#""exp":\#(Int(SampleTenant.now.seconds + 2 * month))"#) == [2 * month + 60])
        #expect(try kept(#""exp":1800000600,"sid":"s""#) == [month, month + 60])
    }
}
