import Store
import Tenants
import Testing
import Time
import Verification

@testable import IdentityProvider

struct UserInfoEndpointTests {
    private static let start = IssuerFixture.start
    private static let invalid = """
        Bearer realm="clans", error="invalid_token", \
        error_description="the access token is unknown, has expired or was revoked"
        """

    @Test func claimsFollowScopes() async throws {
        let fixture = try IssuerFixture()
        let all = try await fixture.tokens(scopes: ["openid", "email", "profile"])
        let response = try await fixture.get(.userInfo, authorization: "Bearer \(all.access)")
        #expect(response.status == 200)
        #expect(response.subject == "alice")
        #expect(response.field("Cache-Control") == "no-store")
        #expect(
            try response.object == [
                "sub": "alice", "email": "alice@example.org", "email_verified": true, "name": "Alice",
            ]
        )
        let bare = try await fixture.tokens(scopes: ["openid"])
        #expect(
            try await fixture.get(.userInfo, authorization: "bearer \(bare.access)").object
                == ["sub": "alice"]
        )
    }

    /// Also those of standard scopes that the account hook gives.
    @Test func hookClaimsAreGivenToScopesThatAskForThem() async throws {
        let fixture = try IssuerFixture()
        var account = Account.alice
        account.subject = "carol"
        account.claims = ["stats": [1, 2], "clan": "north", "picture": "https://a.example/", "phone_number": "+1"]
        fixture.accounts.put(account)
        func claims(_ scopes: [String]) async throws -> Set<String> {
            let tokens = try await fixture.tokens(for: .board, scopes: scopes, subject: "carol")
            let response = try await fixture.get(.userInfo, authorization: "Bearer \(tokens.access)")
            return Set(try response.object.members.map(\.name))
        }
        #expect(try await claims(["openid"]) == ["sub"])
        #expect(try await claims(["openid", "stats"]) == ["sub", "stats"])
        #expect(try await claims(["openid", "profile", "phone"]) == ["sub", "name", "picture", "phone_number"])
    }

    @Test func hookClaimCannotReplaceSubject() async throws {
        let fixture = try IssuerFixture()
        fixture.accounts.put(Account(subject: "bob", claims: ["sub": "alice", "x": 1], createdAt: 1))
        let tokens = try await fixture.tokens(scopes: ["openid", "sub", "x"], subject: "bob")
        let answer = try await fixture.get(.userInfo, authorization: "Bearer \(tokens.access)").object
        #expect(answer == ["sub": "bob", "x": 1])
    }

    @Test func tokenIsAcceptedInFormButNotInQuery() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        #expect(try await fixture.post(.userInfo, [("access_token", tokens.access)]).object["sub"] == "alice")
        let bearer = "Bearer \(tokens.access)"
        #expect(try await fixture.post(.userInfo, [], authorization: bearer).object["sub"] == "alice")
        #expect(
            try await fixture.post(.userInfo, text: "", contentType: nil, authorization: bearer).object["sub"]
                == "alice"
        )
        let twice = try await fixture.post(.userInfo, [("access_token", tokens.access)], authorization: bearer)
        #expect(twice.outcome == "400 invalid_request")
        #expect(twice.field("WWW-Authenticate") == "Bearer realm=\"clans\", error=\"invalid_request\"")
        let inQuery = try await fixture.get(.userInfo, [("access_token", tokens.access)])
        #expect(inQuery.status == 401)
    }

    @Test(arguments: [nil, "Basic abc", "Bearer", "Bearer ", "bearerabc"])
    func missingTokenGetsChallengeWithoutError(_ authorization: String?) async throws {
        let response = try await IssuerFixture().get(.userInfo, authorization: authorization)
        #expect(response.status == 401)
        #expect(response.field("WWW-Authenticate") == "Bearer realm=\"clans\"")
        #expect(response.body.isEmpty)
    }

    @Test func invalidAccessTokenIsRefused() async throws {
        let store = WatchedStore()
        let (fixture, chat) = (try IssuerFixture("clans", store), try IssuerFixture("chat", store))
        let (own, others) = (try await fixture.tokens(), try await chat.tokens())
        for token in [try own.id, own.refresh, others.access, try others.id, "x", "a.b.c", own.access + "A"] {
            let response = try await fixture.get(.userInfo, authorization: "Bearer \(token)")
            #expect(response.outcome == "401 invalid_token")
            #expect(response.field("WWW-Authenticate") == Self.invalid)
        }
        let late = try await fixture.get(.userInfo, authorization: "Bearer \(own.access)", at: Self.start + 1800)
        #expect(late.field("WWW-Authenticate") == Self.invalid)
    }

    @Test func revokedOrEndedSessionIsRefused() async throws {
        let fixture = try IssuerFixture()
        let ended = try await fixture.tokens()
        try await fixture.sessions.end(sessionID: ended.sessionID, at: Self.start)
        #expect(
            try await fixture.get(.userInfo, authorization: "Bearer \(ended.access)").outcome == "401 invalid_token"
        )
        let revoked = try await fixture.tokens()
        let target = RevocationTarget.subject("alice")
        _ = try await fixture.store.revoke([Revocation(tenant: "clans", target: target, revokedAt: Self.start + 5)])
        #expect(
            try await fixture.get(.userInfo, authorization: "Bearer \(revoked.access)").outcome == "401 invalid_token"
        )
    }

    @Test func missingOpenIDScopeIsInsufficient() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens(scopes: ["email"])
        let response = try await fixture.get(.userInfo, authorization: "Bearer \(tokens.access)")
        #expect(response.outcome == "403 insufficient_scope")
        #expect(
            response.field("WWW-Authenticate")
                == "Bearer realm=\"clans\", error=\"insufficient_scope\", scope=\"openid\""
        )
    }

    @Test func unavailableOrRefusedAccountIsReported() async throws {
        let fixture = try IssuerFixture()
        let bearer = "Bearer \(try await fixture.tokens().access)"
        fixture.accounts.fail(.unavailable(.storeUnavailable))
        #expect(try await fixture.get(.userInfo, authorization: bearer).outcome == "503 temporarily_unavailable")
        fixture.accounts.fail(.otherRole("driver"))
        #expect(try await fixture.get(.userInfo, authorization: bearer).outcome == "401 invalid_token")
    }
}
