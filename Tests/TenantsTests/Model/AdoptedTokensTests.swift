import TestSupport
import Testing
import Verification

@testable import Tenants

/// Whose tokens are exchanged for sessions of the tenant's own issuer.
struct AdoptedTokensTests {
    private func tenant(_ change: (inout Tenant) -> Void = { _ in }) throws -> Tenant {
        var tenant = try SampleTenant.tenant()
        tenant.refresh = RefreshRules(
            call: RefreshCall(
                strategy: .builtIn,
                target: nil,
                accessToken: try #require(JSONPointer("/access_token"))
            ),
            delivery: RefreshDelivery(header: "X-T"),
            adopted: ["https://older.test", SampleTenant.issuer]
        )
        change(&tenant)
        return tenant
    }

    private func areAdopted(
        _ claims: KeyValuePairs<String, JSONValue?> = [:],
        _ change: (inout Tenant) -> Void = { _ in }
    ) throws -> Bool {
        let tenant = try tenant(change)
        let principal = try TokenVerifier(tenant.authenticate.policy)
            .verify(Array(SampleTenant.token(claims).utf8), at: SampleTenant.now)
        return AdoptedTokens.areAdopted(principal, tenant)
    }

    /// With claims of Alice's token replaced, added, or left out.
    private func areAdopted(with claims: [String: JSONValue?]) throws -> Bool {
        let tenant = try tenant()
        var all: JSONObject = [
            "iss": .string(SampleTenant.issuer), "sub": "alice",
            "exp": .number(JSONNumber(Int(SampleTenant.now.seconds) + 600)),
        ]
        for (name, value) in claims { all[name] = value }
        let principal = try TokenVerifier(tenant.authenticate.policy)
            .verify(Array(SampleTenant.token(of: all).utf8), at: SampleTenant.now)
        return AdoptedTokens.areAdopted(principal, tenant)
    }

    @Test func tokenOfPersonIsAdopted() throws {
        #expect(try areAdopted())
        #expect(try areAdopted(["gty": "password", "idtyp": "user", "typ": "Bearer", "token_use": "access"]))
        #expect(try areAdopted(["nonce": "of the sign-in", "scope": "openid"]))
    }

    /// People may have let another app read something; a session of the tenant's own may do whatever they may.
    @Test func tokenOfAnotherClientIsNot() throws {
        let claims: KeyValuePairs<String, JSONValue?> = ["client_id": "app", "azp": "app"]
        #expect(try !areAdopted(claims))
        #expect(try areAdopted(claims) { $0.refresh?.adoptedClients = ["web", "app"] })
        #expect(try !areAdopted(["client_id": "app"]) { $0.refresh?.adoptedClients = ["App"] })
        #expect(try !areAdopted(["client_id": "app", "azp": "other"]) { $0.refresh?.adoptedClients = ["app"] })
        #expect(try !areAdopted(["azp": ["app"]]) { $0.refresh?.adoptedClients = ["app"] })
    }

    /// For one audience an issuer may make tokens of several kinds.
    @Test(
        arguments: [
            ["at_hash": "x"], ["c_hash": "x"], ["s_hash": "x"], ["nonce": "x"], ["typ": "ID"], ["typ": "Refresh"],
            ["typ": "Logout"], ["typ": 1], ["token_use": "id"], ["events": ["x"]],
        ] as [[String: JSONValue]]
    )
    func tokenThatIsNoAccessTokenIsNot(_ claims: [String: JSONValue]) throws {
        #expect(try !areAdopted(with: claims))
    }

    @Test func tokenOfOtherIssuerIsNot() throws {
        #expect(try !areAdopted { $0.refresh?.adopted = ["https://older.test"] })
        #expect(try !areAdopted { $0.refresh?.adopted = [] })
        #expect(try !areAdopted { $0.refresh = nil })
    }

    @Test func observedTenantAdoptsNobody() throws {
        #expect(try !areAdopted { $0.mode = .observe })
    }

    @Test(
        arguments: [
            ["client_id": "alice"], ["azp": "alice"], ["gty": "client-credentials"], ["idtyp": "app"],
            ["act": ["sub": "service"]], ["sub": nil], ["sub": ""], ["sub": "a\u{0}b"],
            ["sub": .string(String(repeating: "a", count: 256))],
        ] as [[String: JSONValue?]]
    )
    func tokenThatIsNobodysIsNot(_ claims: [String: JSONValue?]) throws {
        #expect(try !areAdopted(with: claims))
    }

    // MARK: Where sessions can be delivered

    private func delivers(_ source: TokenSource, header: String?, cookies: [String: String] = [:]) throws -> Bool {
        let cookies = try cookies.map { name, pointer in
            RefreshDelivery.Cookie(name: name, value: try #require(JSONPointer(pointer)))
        }
        return RefreshDelivery(header: header, cookies: cookies).deliversSessions(to: source)
    }

    @Test func bearerClientNeedsField() throws {
        #expect(try delivers(.bearer, header: "X-T"))
        #expect(try delivers(.header(name: "x-token"), header: "X-T"))
        #expect(try !delivers(.bearer, header: nil, cookies: ["a": "/access_token"]))
    }

    @Test func cookieMustBeReplaced() throws {
        #expect(try delivers(.cookie(name: "a"), header: nil, cookies: ["a": "/access_token", "r": "/refresh_token"]))
        #expect(try !delivers(.cookie(name: "old"), header: "X-T", cookies: ["a": "/access_token"]))
        #expect(try !delivers(.cookie(name: "r"), header: "X-T", cookies: ["r": "/refresh_token"]))
        #expect(try !delivers(.cookie(name: "a"), header: "X-T"))
    }

    /// Whoever put the token there takes nothing from the response.
    @Test func tokenInAddressOrWebSocketProtocolGetsNoSession() throws {
        #expect(try !delivers(.query(name: "t"), header: "X-T", cookies: ["t": "/access_token"]))
        #expect(try !delivers(.header(name: "sec-websocket-protocol"), header: "X-T"))
    }
}
