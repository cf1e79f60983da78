import Testing
import Time
import Verification

@testable import IdentityProvider

/// Who may use a refresh token, and for what.
struct RefreshGrantRulesTests {
    private let start = SessionFixture.start

    private func signIn(_ desk: SessionFixture, client: String?) async throws -> IssuedTokens {
        let opening = SessionOpening(
            subject: "alice",
            claims: ["email": "alice@example.org", "name": "Alice", "role": "member"],
            clientID: client
        )
        return try await desk.book.start(opening, at: start)
    }

    /// The second name is another spelling of the first, which Swift's `==` takes for the same.
    @Test(arguments: [RefreshingClient.client("other"), .client("e\u{301}"), .client(""), .none])
    func anotherClientIsRefusedAndUsesNothingUp(_ client: RefreshingClient) async throws {
        let desk = try SessionFixture()
        let tokens = try await signIn(desk, client: "\u{E9}")
        let before = try await desk.book.session(tokens.sessionID, at: start)
        let refused = try await refusal { try await desk.book.refresh(tokens.refresh, client: client, at: start) }
        #expect(refused == .otherClient)
        #expect(try await desk.book.session(tokens.sessionID, at: start) == before)
        let next = try await desk.book.refresh(tokens.refresh, client: .client("\u{E9}"), at: start + 1)
        let late = try await refusal { try await desk.book.refresh(tokens.refresh, client: client, at: start + 2) }
        #expect(late == .otherClient)
        _ = try await desk.book.refresh(next.refresh, client: .any, at: start + 3)
    }

    @Test func aClientsTokenIsUsedUpForEveryoneOnceItIsSpent() async throws {
        let desk = try SessionFixture()
        let tokens = try await signIn(desk, client: "app")
        _ = try await desk.book.refresh(tokens.refresh, client: .client("app"), at: start)
        let late = try await refusal {
            try await desk.book.refresh(tokens.refresh, client: .client("other"), at: start + 31)
        }
        #expect(late == .reused)
    }

    @Test(arguments: [RefreshingClient.client("app"), .any, .none])
    func aSessionOfNoClientIsBoundToNone(_ client: RefreshingClient) async throws {
        let desk = try SessionFixture()
        let tokens = try await signIn(desk, client: nil)
        #expect(
            try await desk.book.refresh(tokens.refresh, client: client, at: start).sessionID == tokens.sessionID
        )
    }

    @Test func fewerScopesTellLessButTheSessionKeepsAll() async throws {
        let desk = try SessionFixture()
        let tokens = try await signIn(desk, client: nil)
        let fewer = try await desk.book.refresh(tokens.refresh, scopes: ["openid", "profile"], at: start)
        #expect(fewer.scopes == ["openid", "profile"] && fewer.response["scope"] == "openid profile")
        let access = try desk.claims(fewer.accessToken)
        #expect(access["scope"] == "openid profile" && access["email"] == nil)
        #expect(access["name"] == "Alice" && access["role"] == "member")
        #expect(try desk.claims(fewer.idToken)["email"] == nil)
        let none = try await desk.book.refresh(fewer.refresh, scopes: [], at: start + 1)
        #expect(none.idToken == nil)
        #expect(try desk.claims(none.accessToken)["scope"] == nil)
        let all = try await desk.book.refresh(none.refresh, at: start + 2)
        #expect(all.scopes == ["openid", "email", "profile"])
        #expect(try desk.claims(all.accessToken)["email"] == "alice@example.org")
    }

    /// What the gateway would get for it by its session would be wider.
    @Test func aNarrowedAccessTokenIsNotRenewed() async throws {
        let desk = try SessionFixture()
        let tokens = try await signIn(desk, client: nil)
        let refused = try await refusal {
            try await desk.book.renew(
                sessionID: tokens.sessionID,
                subject: "alice",
                scopes: ["email"],
                boundTo: nil,
                at: start + 1
            )
        }
        #expect(refused == .scopeExceeded)
        _ = try await desk.book.renew(sessionID: tokens.sessionID, subject: "alice", at: start + 2)
    }

    @Test func moreScopesThanGrantedAreRefusedAndUseNothingUp() async throws {
        let desk = try SessionFixture()
        let tokens = try await signIn(desk, client: nil)
        for scopes in [["openid", "admin"], [""], ["Email"], ["openid email"]] {
            let refused = try await refusal {
                try await desk.book.refresh(tokens.refresh, scopes: scopes, at: start)
            }
            #expect(refused == .scopeExceeded)
        }
        #expect(try await desk.book.session(tokens.sessionID, at: start)?.family.rotations == [])
    }
}
