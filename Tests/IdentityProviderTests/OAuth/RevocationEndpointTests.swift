import Store
import Tenants
import Testing
import Time
import Verification

@testable import IdentityProvider

struct RevocationEndpointTests {
    private static let start = IssuerHouse.start

    private func form(_ token: String, _ client: IssuerClient = .mobile, hint: String? = nil) -> Parameters {
        [("token", token)] + client.credentials + (hint.map { [("token_type_hint", $0)] } ?? [])
    }

    @Test(arguments: [nil, "refresh_token", "access_token", "anything"])
    func aRefreshTokenEndsItsSession(_ hint: String?) async throws {
        let house = try IssuerHouse()
        let tokens = try await house.tokens()
        let response = try await house.post(.revoke, form(tokens.refresh, hint: hint))
        #expect(response.status == 200)
        #expect(response.body.isEmpty)
        #expect(response.field("Cache-Control") == "no-store")
        #expect(try await house.sessions.session(tokens.sessionID, at: Self.start) == nil)
        #expect(try await !house.isActive(tokens.access))
        #expect(try await !house.isActive(tokens.refresh))
    }

    @Test func aRefreshTokenThatWasUsedEndsItsSessionToo() async throws {
        let house = try IssuerHouse()
        let first = try await house.tokens()
        let refresh: Parameters = [
            ("grant_type", "refresh_token"), ("refresh_token", first.refresh), ("client_id", "mobile"),
        ]
        let second = try GivenTokens(await house.post(.token, refresh, at: Self.start + 10))
        #expect(try await house.post(.revoke, form(first.refresh), at: Self.start + 100).status == 200)
        #expect(try await !house.isActive(second.access, at: Self.start + 100))
    }

    @Test(arguments: [nil, "refresh_token", "access_token"])
    func anAccessTokenIsRevokedAlone(_ hint: String?) async throws {
        let house = try IssuerHouse()
        let tokens = try await house.tokens(for: .board)
        #expect(try await house.post(.revoke, form(tokens.access, .board, hint: hint)).status == 200)
        #expect(try await !house.isActive(tokens.access))
        #expect(try await house.isActive(tokens.refresh))
        #expect(try await house.get(.userInfo, authorization: "Bearer \(tokens.access)").status == 401)
        // For as long as it is of use by the leeway, and clocks may differ.
        let records = try await house.store.revocations(tenant: "clans", cursor: nil, limit: 10).records
        #expect(records.map(\.expiresAt.seconds) == [Self.start.seconds.rounded(.down) + 1800 + 60 + 600])
    }

    /// The gateway may still refresh it for whoever has it.
    @Test func anAccessTokenThatHasExpiredIsRevokedAsLongAsItIsOfUse() async throws {
        let house = try IssuerHouse()
        let tokens = try await house.tokens(for: .board)
        let late = UnixTime(Self.start.seconds.rounded(.down) + 1800 + 300)
        #expect(try await house.post(.revoke, form(tokens.access, .board), at: late).status == 200)
        #expect(try await house.store.revocations(tenant: "clans", cursor: nil, limit: 10).records.count == 1)
    }

    @Test func anothersTokensAreLeftAlone() async throws {
        let house = try IssuerHouse()
        let tokens = try await house.tokens()
        for client in [IssuerClient.tablet, .board] {
            for token in [tokens.refresh, tokens.access] {
                #expect(try await house.post(.revoke, form(token, client)).verdict == "400 invalid_grant")
            }
        }
        #expect(try await house.isActive(tokens.access))
        #expect(try await house.isActive(tokens.refresh))
    }

    @Test func tokensOfTheTenantsOwnAppsAreForPublicClients() async throws {
        let house = try IssuerHouse()
        let tokens = try await house.sessions.start(SessionOpening(subject: "alice"), at: Self.start)
        let refresh = try #require(tokens.refreshToken)
        for token in [refresh, tokens.accessToken] {
            #expect(try await house.post(.revoke, form(token, .board)).verdict == "400 invalid_grant")
        }
        #expect(try await house.post(.revoke, form(refresh)).status == 200)
        #expect(try await house.sessions.session(tokens.sessionID, at: Self.start) == nil)
    }

    @Test func whatIsGoodForNothingIsRevokedAlready() async throws {
        let store = WatchedStore()
        let (house, chat) = (try IssuerHouse("clans", store), try IssuerHouse("chat", store))
        let (own, others) = (try await house.tokens(), try await chat.tokens())
        for token in ["x", "a.b.c", String(repeating: "A", count: 86), others.refresh, others.access, try own.id] {
            #expect(try await house.post(.revoke, form(token)).status == 200)
        }
        #expect(try await house.post(.revoke, form(own.access), at: Self.start + 3600).status == 200)
        #expect(try await house.store.revocations(tenant: "clans", cursor: nil, limit: 10).records.isEmpty)
        #expect(try await house.isActive(own.access))
        #expect(try await chat.isActive(others.access))
        #expect(try await chat.isActive(others.refresh))
    }

    @Test func itHasToBeThere() async throws {
        let house = try IssuerHouse()
        #expect(try await house.post(.revoke, IssuerClient.mobile.credentials).verdict == "400 invalid_request")
        #expect(try await house.post(.revoke, [("token", "x")]).verdict == "401 invalid_client")
        let json = try await house.post(.revoke, text: "{}", contentType: "application/json")
        #expect(json.verdict == "400 invalid_request")
    }

    @Test(arguments: [[WatchedStore.Call.revoke], WatchedStore.Call.allCases])
    func whatCannotBeRevokedIsSaid(_ calls: [WatchedStore.Call]) async throws {
        let house = try IssuerHouse()
        let tokens = try await house.tokens()
        house.store.fail(calls)
        for token in [tokens.access, tokens.refresh] {
            let response = try await house.post(.revoke, form(token))
            #expect(response.verdict == "503 temporarily_unavailable")
            #expect(response.field("Retry-After") == "1")
        }
    }
}
