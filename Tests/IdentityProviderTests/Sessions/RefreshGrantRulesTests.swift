import Testing
import Time
import Verification

@testable import IdentityProvider

/// Client and scope rules of refreshes.
struct RefreshGrantRulesTests {
    private let start = SessionFixture.start

    private func signIn(_ service: SessionFixture, client: String?) async throws -> IssuedTokens {
        let opening = SessionOpening(
            subject: "alice",
            claims: ["email": "alice@example.org", "name": "Alice", "role": "member"],
            clientID: client
        )
        return try await service.sessions.start(opening, at: start)
    }

    /// The second name equals the first by Swift's `==`, but not by bytes.
    @Test(arguments: [RefreshingClient.client("other"), .client("e\u{301}"), .client(""), .none])
    func otherClientIsRefusedWithoutSpendingToken(_ client: RefreshingClient) async throws {
        let service = try SessionFixture()
        let tokens = try await signIn(service, client: "\u{E9}")
        let before = try await service.sessions.session(tokens.sessionID, at: start)
        let refused = try await refusal {
            try await service.sessions.refresh(tokens.refresh, client: client, at: start)
        }
        #expect(refused == .otherClient)
        #expect(try await service.sessions.session(tokens.sessionID, at: start) == before)
        let next = try await service.sessions.refresh(tokens.refresh, client: .client("\u{E9}"), at: start + 1)
        let late = try await refusal {
            try await service.sessions.refresh(tokens.refresh, client: client, at: start + 2)
        }
        #expect(late == .otherClient)
        _ = try await service.sessions.refresh(next.refresh, client: .any, at: start + 3)
    }

    @Test func spentTokenIsReusedForAnyClient() async throws {
        let service = try SessionFixture()
        let tokens = try await signIn(service, client: "app")
        _ = try await service.sessions.refresh(tokens.refresh, client: .client("app"), at: start)
        let late = try await refusal {
            try await service.sessions.refresh(tokens.refresh, client: .client("other"), at: start + 31)
        }
        #expect(late == .reused)
    }

    @Test(arguments: [RefreshingClient.client("app"), .any, .none])
    func sessionWithoutClientAcceptsAnyClient(_ client: RefreshingClient) async throws {
        let service = try SessionFixture()
        let tokens = try await signIn(service, client: nil)
        #expect(
            try await service.sessions.refresh(tokens.refresh, client: client, at: start).sessionID == tokens.sessionID
        )
    }

    @Test func narrowedScopesApplyToTokenNotSession() async throws {
        let service = try SessionFixture()
        let tokens = try await signIn(service, client: nil)
        let fewer = try await service.sessions.refresh(tokens.refresh, scopes: ["openid", "profile"], at: start)
        #expect(fewer.scopes == ["openid", "profile"] && fewer.response["scope"] == "openid profile")
        let access = try service.claims(fewer.accessToken)
        #expect(access["scope"] == "openid profile" && access["email"] == nil)
        #expect(access["name"] == "Alice" && access["role"] == "member")
        #expect(try service.claims(fewer.idToken)["email"] == nil)
        let none = try await service.sessions.refresh(fewer.refresh, scopes: [], at: start + 1)
        #expect(none.idToken == nil)
        #expect(try service.claims(none.accessToken)["scope"] == nil)
        let all = try await service.sessions.refresh(none.refresh, at: start + 2)
        #expect(all.scopes == ["openid", "email", "profile"])
        #expect(try service.claims(all.accessToken)["email"] == "alice@example.org")
    }

    /// A renewal by the session would widen its scopes.
    @Test func narrowedAccessTokenIsNotRenewed() async throws {
        let service = try SessionFixture()
        let tokens = try await signIn(service, client: nil)
        let refused = try await refusal {
            try await service.sessions.renew(
                sessionID: tokens.sessionID,
                subject: "alice",
                scopes: ["email"],
                boundTo: nil,
                at: start + 1
            )
        }
        #expect(refused == .scopeExceeded)
        _ = try await service.sessions.renew(sessionID: tokens.sessionID, subject: "alice", at: start + 2)
    }

    @Test func widerScopesAreRefusedWithoutSpendingToken() async throws {
        let service = try SessionFixture()
        let tokens = try await signIn(service, client: nil)
        for scopes in [["openid", "admin"], [""], ["Email"], ["openid email"]] {
            let refused = try await refusal {
                try await service.sessions.refresh(tokens.refresh, scopes: scopes, at: start)
            }
            #expect(refused == .scopeExceeded)
        }
        #expect(try await service.sessions.session(tokens.sessionID, at: start)?.family.rotations == [])
    }
}
