import Store
import Tenants
import Testing
import Time
import Verification

@testable import IdentityProvider

struct RevocationEndpointTests {
    private static let start = IssuerFixture.start

    private func form(_ token: String, _ client: IssuerClient = .mobile, hint: String? = nil) -> Parameters {
        [("token", token)] + client.credentials + (hint.map { [("token_type_hint", $0)] } ?? [])
    }

    @Test(arguments: [nil, "refresh_token", "access_token", "anything"])
    func refreshTokenEndsItsSession(_ hint: String?) async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        let response = try await fixture.post(.revoke, form(tokens.refresh, hint: hint))
        #expect(response.status == 200)
        #expect(response.body.isEmpty)
        #expect(response.field("Cache-Control") == "no-store")
        #expect(try await fixture.sessions.session(tokens.sessionID, at: Self.start) == nil)
        #expect(try await !fixture.isActive(tokens.access))
        #expect(try await !fixture.isActive(tokens.refresh))
    }

    @Test func usedRefreshTokenEndsItsSession() async throws {
        let fixture = try IssuerFixture()
        let first = try await fixture.tokens()
        let refresh: Parameters = [
            ("grant_type", "refresh_token"), ("refresh_token", first.refresh), ("client_id", "mobile"),
        ]
        let second = try TokenResponse(await fixture.post(.token, refresh, at: Self.start + 10))
        #expect(try await fixture.post(.revoke, form(first.refresh), at: Self.start + 100).status == 200)
        #expect(try await !fixture.isActive(second.access, at: Self.start + 100))
    }

    @Test(arguments: [nil, "refresh_token", "access_token"])
    func accessTokenIsRevokedAlone(_ hint: String?) async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens(for: .board)
        #expect(try await fixture.post(.revoke, form(tokens.access, .board, hint: hint)).status == 200)
        #expect(try await !fixture.isActive(tokens.access))
        #expect(try await fixture.isActive(tokens.refresh))
        #expect(try await fixture.get(.userInfo, authorization: "Bearer \(tokens.access)").status == 401)
        // Until it is useless, with leeway and clock difference.
        let records = try await fixture.store.revocations(tenant: "clans", cursor: nil, limit: 10).records
        #expect(records.map(\.expiresAt.seconds) == [Self.start.seconds.rounded(.down) + 1800 + 60 + 600])
    }

    /// The gateway may still refresh it.
    @Test func expiredButRefreshableAccessTokenIsRevoked() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens(for: .board)
        let late = UnixTime(Self.start.seconds.rounded(.down) + 1800 + 300)
        #expect(try await fixture.post(.revoke, form(tokens.access, .board), at: late).status == 200)
        #expect(try await fixture.store.revocations(tenant: "clans", cursor: nil, limit: 10).records.count == 1)
    }

    @Test func tokensOfAnotherClientAreRefused() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        for client in [IssuerClient.tablet, .board] {
            for token in [tokens.refresh, tokens.access] {
                #expect(try await fixture.post(.revoke, form(token, client)).outcome == "400 invalid_grant")
            }
        }
        #expect(try await fixture.isActive(tokens.access))
        #expect(try await fixture.isActive(tokens.refresh))
    }

    @Test func appTokensAreRevocableByPublicClientsOnly() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.sessions.start(SessionOpening(subject: "alice"), at: Self.start)
        let refresh = try #require(tokens.refreshToken)
        for token in [refresh, tokens.accessToken] {
            #expect(try await fixture.post(.revoke, form(token, .board)).outcome == "400 invalid_grant")
        }
        #expect(try await fixture.post(.revoke, form(refresh)).status == 200)
        #expect(try await fixture.sessions.session(tokens.sessionID, at: Self.start) == nil)
    }

    @Test func invalidTokenIsAcknowledged() async throws {
        let store = WatchedStore()
        let (fixture, chat) = (try IssuerFixture("clans", store), try IssuerFixture("chat", store))
        let (own, others) = (try await fixture.tokens(), try await chat.tokens())
        for token in ["x", "a.b.c", String(repeating: "A", count: 86), others.refresh, others.access, try own.id] {
            #expect(try await fixture.post(.revoke, form(token)).status == 200)
        }
        #expect(try await fixture.post(.revoke, form(own.access), at: Self.start + 3600).status == 200)
        #expect(try await fixture.store.revocations(tenant: "clans", cursor: nil, limit: 10).records.isEmpty)
        #expect(try await fixture.isActive(own.access))
        #expect(try await chat.isActive(others.access))
        #expect(try await chat.isActive(others.refresh))
    }

    @Test func missingTokenOrClientIsRefused() async throws {
        let fixture = try IssuerFixture()
        #expect(try await fixture.post(.revoke, IssuerClient.mobile.credentials).outcome == "400 invalid_request")
        #expect(try await fixture.post(.revoke, [("token", "x")]).outcome == "401 invalid_client")
        let json = try await fixture.post(.revoke, text: "{}", contentType: "application/json")
        #expect(json.outcome == "400 invalid_request")
    }

    @Test(arguments: [[WatchedStore.Call.revoke], WatchedStore.Call.allCases])
    func storeFailureIsReported(_ calls: [WatchedStore.Call]) async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        fixture.store.fail(calls)
        for token in [tokens.access, tokens.refresh] {
            let response = try await fixture.post(.revoke, form(token))
            #expect(response.outcome == "503 temporarily_unavailable")
            #expect(response.field("Retry-After") == "1")
        }
    }
}
