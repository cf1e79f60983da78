import Store
import Tenants
import Testing
import Time
import Verification

@testable import IdentityProvider

/// `grant_type=refresh_token` at the token endpoint.
struct RefreshGrantTests {
    private static let start = IssuerFixture.start

    private func form(_ token: String, _ client: IssuerClient = .mobile, scope: String? = nil) -> Parameters {
        let scope: Parameters = scope.map { [("scope", $0)] } ?? []
        return [("grant_type", "refresh_token"), ("refresh_token", token)] + client.credentials + scope
    }

    @Test(arguments: [IssuerClient.mobile, .board])
    func refreshTokenGivesNewPair(_ client: IssuerClient) async throws {
        let fixture = try IssuerFixture()
        let first = try await fixture.tokens(for: client)
        let response = try await fixture.post(.token, form(first.refresh, client), at: Self.start + 100)
        let second = try TokenResponse(response)
        #expect(response.field("Cache-Control") == "no-store")
        #expect(second.refresh != first.refresh)
        #expect(try second.sessionID == first.sessionID)
        #expect(second.claims["sub"] == "alice")
        #expect(try TokenResponse.claims(of: second.id)["aud"]?.stringOrStrings == [client.id])
        let third = try TokenResponse(await fixture.post(.token, form(second.refresh, client), at: Self.start + 200))
        #expect(try third.sessionID == first.sessionID)
    }

    @Test func reuseAfterGraceWindowEndsSession() async throws {
        let fixture = try IssuerFixture()
        let first = try await fixture.tokens()
        let second = try TokenResponse(await fixture.post(.token, form(first.refresh), at: Self.start + 10))
        let again = try TokenResponse(await fixture.post(.token, form(first.refresh), at: Self.start + 39))
        #expect(again.refresh == second.refresh)
        #expect(try await fixture.post(.token, form(first.refresh), at: Self.start + 41).outcome == "400 invalid_grant")
        #expect(
            try await fixture.post(.token, form(second.refresh), at: Self.start + 42).outcome == "400 invalid_grant"
        )
        #expect(try await !fixture.isActive(second.access, at: Self.start + 42))
    }

    @Test func refreshTokenIsForItsClientOnly() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        for client in [IssuerClient.tablet, .board] {
            #expect(try await fixture.post(.token, form(tokens.refresh, client)).outcome == "400 invalid_grant")
        }
        _ = try TokenResponse(await fixture.post(.token, form(tokens.refresh)))
    }

    @Test func scopesMayBeNarrowedButNotWidened() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens(scopes: ["openid", "email"])
        let wider = try await fixture.post(.token, form(tokens.refresh, scope: "openid email profile"))
        #expect(wider.outcome == "400 invalid_scope")
        let narrow = try TokenResponse(await fixture.post(.token, form(tokens.refresh, scope: "email")))
        #expect(narrow.body["scope"] == "email")
        #expect(narrow.claims["scope"] == "email")
    }

    @Test(arguments: ["x", "not.a.token", String(repeating: "A", count: 86)])
    func malformedRefreshTokenIsRefused(_ token: String) async throws {
        #expect(try await IssuerFixture().post(.token, form(token)).outcome == "400 invalid_grant")
    }

    @Test func missingRefreshTokenIsRefused() async throws {
        let form: Parameters = [("grant_type", "refresh_token"), ("client_id", "mobile")]
        #expect(try await IssuerFixture().post(.token, form).outcome == "400 invalid_request")
    }

    @Test func accessAndIDTokensAreRefused() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        for token in [tokens.access, try tokens.id] {
            #expect(try await fixture.post(.token, form(token)).outcome == "400 invalid_grant")
        }
    }

    @Test func tokenOfAnotherTenantIsRefused() async throws {
        let store = WatchedStore()
        let (clans, chat) = (try IssuerFixture("clans", store), try IssuerFixture("chat", store))
        let tokens = try await clans.tokens()
        #expect(try await chat.post(.token, form(tokens.refresh)).outcome == "400 invalid_grant")
        _ = try TokenResponse(await clans.post(.token, form(tokens.refresh)))
    }

    @Test(arguments: [RevocationTarget.subject("alice"), .tenant])
    func revokedSubjectGetsNoTokens(_ target: RevocationTarget) async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        let revocation = Revocation(tenant: "clans", target: target, revokedAt: Self.start + 5)
        _ = try await fixture.store.revoke([revocation])
        #expect(
            try await fixture.post(.token, form(tokens.refresh), at: Self.start + 10).outcome == "400 invalid_grant"
        )
        #expect(try await fixture.sessions.session(tokens.sessionID, at: Self.start + 10) == nil)
        let later = try await fixture.tokens(at: Self.start + 11)
        _ = try TokenResponse(await fixture.post(.token, form(later.refresh), at: Self.start + 12))
    }

    @Test(arguments: [[WatchedStore.Call.value], [.replace], WatchedStore.Call.allCases])
    func storeFailureDoesNotSpendToken(_ calls: [WatchedStore.Call]) async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        fixture.store.fail(calls)
        let response = try await fixture.post(.token, form(tokens.refresh))
        #expect(response.outcome == "503 temporarily_unavailable")
        #expect(response.field("Retry-After") == "1")
        fixture.store.onCall(nil)
        _ = try TokenResponse(await fixture.post(.token, form(tokens.refresh)))
    }
}
