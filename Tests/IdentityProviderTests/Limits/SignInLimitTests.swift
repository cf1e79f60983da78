import Store
import Tenants
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Limits per account, client and address.
struct SignInLimitTests {
    private static let start = ExchangeFixture.start
    private static let burst = 100

    private static func exhaust(_ limits: AttemptLimits, _ name: String, _ limit: AttemptLimit = .accountSessions) {
        for _ in 0..<limit.burst { _ = limits.admit(Array(name.utf8), limit, at: start) }
    }

    // MARK: Accounts

    @Test func exchangesPerAccountAreLimited() async throws {
        let fixture = try ExchangeFixture()
        for name in ["1", "2"] { fixture.checks.issueGoogle("access:\(name)", for: name) }
        for _ in 0..<Self.burst {
            #expect(try await fixture.post(.googleExchange, ["access_token": "1"]).response.status == 200)
        }
        let refusal = await fixture.post(.googleExchange, ["access_token": "1"]).refusal
        #expect(refusal?.code == .rateLimited && refusal?.status == 429 && refusal?.retryAfterSeconds == 1)
        // Other accounts may sign in, and this one a second later.
        #expect(try await fixture.post(.googleExchange, ["access_token": "2"]).response.status == 200)
        #expect(
            try await fixture.post(.googleExchange, ["access_token": "1"], at: Self.start + 1).response.status == 200
        )
    }

    @Test func limitedAppleExchangeSucceedsLater() async throws {
        let fixture = try ExchangeFixture()
        fixture.checks.issueApple("t")
        Self.exhaust(fixture.limits, "chat account-of-001.apple")
        let body: JSONObject = ["identity_token": "t", "nonce": "n"]
        #expect(await fixture.post(.appleExchange, body).refusal?.code == .rateLimited)
        #expect(try await fixture.post(.appleExchange, body, at: Self.start + 1).response.status == 200)
        // A retry begins no session.
        Self.exhaust(fixture.limits, "chat account-of-001.apple")
        #expect(try await fixture.post(.appleExchange, body).response.status == 200)
    }

    @Test func accountsOfOtherTenantsAreCountedSeparately() async throws {
        let fixture = try ExchangeFixture()
        fixture.checks.issueGoogle("access:1", for: "1")
        Self.exhaust(fixture.limits, "clans account-of-1")
        #expect(try await fixture.post(.googleExchange, ["access_token": "1"]).response.status == 200)
    }

    @Test func limitedBrowserSignInShowsPage() async throws {
        let fixture = try BrowserSignInFixture()
        for _ in 0..<Self.burst {
            _ = fixture.limits.admit(Array("chat account-of-google-alice".utf8), .accountSessions, at: Self.start + 5)
        }
        let response = try await fixture.response(BrowserVisit(web: fixture).back(.webCallback))
        #expect(response.status == 429)
        #expect(response.value(of: "Retry-After") == "1")
        #expect(response.text.contains("Too many sign-ins"))
        #expect(!response.cookies.contains { $0.hasPrefix("chat_") })
    }

    @Test func limitedCodeRedemptionSucceedsLater() async throws {
        let fixture = try IssuerFixture()
        let form = try await fixture.redemption(fixture.code())
        Self.exhaust(fixture.limits, "clans alice")
        let response = try await fixture.post(.token, form)
        #expect(response.outcome == "429 temporarily_unavailable")
        #expect(response.field("Retry-After") == "1")
        _ = try TokenResponse(await fixture.post(.token, form, at: Self.start + 1))
    }

    // MARK: Clients

    @Test func tokenRequestsPerConfidentialClientAreLimited() async throws {
        let fixture = try IssuerFixture()
        let form: Parameters = [("grant_type", "refresh_token"), ("refresh_token", "x")]
        for _ in 0..<2000 {
            _ = fixture.limits.admit(Array("clans board".utf8), .clientTokens, at: Self.start)
            // A public client's name can be used by anyone.
            _ = fixture.limits.admit(Array("clans mobile".utf8), .clientTokens, at: Self.start)
        }
        let board = form + IssuerClient.board.credentials
        let response = try await fixture.post(.token, board)
        #expect(response.outcome == "429 temporarily_unavailable")
        #expect(response.field("Retry-After") == "1")
        #expect(try await fixture.post(.token, form + IssuerClient.mobile.credentials).outcome == "400 invalid_grant")
        #expect(try await fixture.post(.token, board, at: Self.start + 1).outcome == "400 invalid_grant")
    }

    // MARK: Addresses

    @Test(arguments: [
        (Endpoint.introspect, Endpoint.token), (.userInfo, .revoke), (.sessionMe, .sessionRefresh),
        (.sessionValidate, .googleExchange),
    ])
    func queriesAndExchangesAreLimitedSeparately(_ question: Endpoint, _ exchange: Endpoint) async throws {
        let fixture = try ExchangeFixture()
        let service = EndpointService(fixture.context, realmSessions: [], counts: fixture.counts)
        func admitted(_ endpoint: Endpoint, upTo count: Int) async -> Int {
            var admitted = 0
            for _ in 0..<count {
                let request = EndpointRequest(
                    endpoint: endpoint,
                    method: "POST",
                    authority: "chat.localtest",
                    clientAddress: [192, 0, 2, 1],
                    now: Self.start
                )
                if await service.respond(to: request).refusal?.code != .rateLimited { admitted += 1 }
            }
            return admitted
        }
        #expect(await admitted(exchange, upTo: 300) == 200)
        #expect(await admitted(question, upTo: 1100) == 1000)
    }

    @Test func pagesOfOneNetworkAreLimitedTogether() async throws {
        let fixture = try ExchangeFixture()
        let service = EndpointService(fixture.context, realmSessions: [], counts: fixture.counts)
        func status(of endpoint: Endpoint, _ subnet: UInt8) async throws -> Int? {
            let request = EndpointRequest(
                endpoint: endpoint,
                method: "GET",
                authority: "chat.localtest",
                clientAddress: [0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, subnet] + [UInt8](repeating: 1, count: 8),
                now: Self.start
            )
            let result = await service.respond(to: request)
            if case .response(let response) = result { return response.status }
            return result.refusal?.status
        }
        for subnet in 0..<8 as Range<UInt8> {
            for _ in 0..<100 { #expect(try await status(of: .webLogin, subnet) != 429) }
        }
        #expect(try await status(of: .webLogin, 8) == 429)
        // Other endpoints store nothing without a credential.
        #expect(try await status(of: .userInfo, 8) != 429)
    }

    @Test func servicesOfOneProcessShareLimits() async throws {
        let limits = AttemptLimits()
        let fixtures = [try ExchangeFixture(limits: limits), try ExchangeFixture(limits: limits)]
        let services = fixtures.map { EndpointService($0.context, realmSessions: [], counts: $0.counts) }
        Self.exhaust(limits, "", .exchanges)
        for service in services {
            let request = EndpointRequest(endpoint: .token, method: "POST", authority: "a", now: Self.start)
            #expect(await service.respond(to: request).refusal?.code == .rateLimited)
        }
    }
}
