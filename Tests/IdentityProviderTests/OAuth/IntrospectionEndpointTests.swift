import Store
import Tenants
import Testing
import Time
import Verification

@testable import IdentityProvider

struct IntrospectionEndpointTests {
    private static let start = IssuerFixture.start

    private func ask(
        _ fixture: IssuerFixture,
        _ token: String,
        authorization: String? = nil,
        at now: UnixTime = start
    ) async throws -> EndpointResponse {
        let credentials = authorization == nil ? IssuerClient.board.credentials : []
        return try await fixture.post(
            .introspect,
            [("token", token)] + credentials,
            authorization: authorization,
            at: now
        )
    }

    @Test func confidentialClientGetsTokenMetadata() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        for authorization in [nil, IssuerClient.service.basic] {
            let response = try await ask(fixture, tokens.access, authorization: authorization)
            #expect(response.status == 200)
            #expect(response.field("Cache-Control") == "no-store")
            #expect(
                try response.object == [
                    "active": true, "token_type": "Bearer", "scope": "openid email", "client_id": "mobile",
                    "exp": .number(JSONNumber(Int(Self.start.seconds) + 1800)),
                    "iat": .number(JSONNumber(Int(Self.start.seconds))),
                    "sub": "alice", "aud": "clans-api", "iss": "https://clans.example",
                    "jti": try #require(tokens.claims["jti"]), "sid": .string(try tokens.sessionID),
                ]
            )
        }
    }

    @Test func refreshTokenIsActiveUntilSpent() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        #expect(
            try await ask(fixture, tokens.refresh).object == [
                "active": true, "exp": .number(JSONNumber(Int(Self.start.seconds) + 30 * 86_400)),
                "iat": .number(JSONNumber(Int(Self.start.seconds))), "sub": "alice",
                "sid": .string(try tokens.sessionID), "iss": "https://clans.example", "client_id": "mobile",
            ]
        )
        // Introspection does not spend it.
        let form: Parameters = [
            ("grant_type", "refresh_token"), ("refresh_token", tokens.refresh), ("client_id", "mobile"),
        ]
        let next = try TokenResponse(await fixture.post(.token, form, at: Self.start + 10))
        #expect(try await fixture.isActive(tokens.refresh, at: Self.start + 39))
        #expect(try await !fixture.isActive(tokens.refresh, at: Self.start + 41))
        #expect(try await fixture.isActive(next.refresh, at: Self.start + 41))
    }

    @Test func invalidTokenIsInactiveWithoutDetails() async throws {
        let store = WatchedStore()
        let (fixture, chat) = (try IssuerFixture("clans", store), try IssuerFixture("chat", store))
        let (own, others) = (try await fixture.tokens(), try await chat.tokens())
        let ended = try await fixture.tokens()
        try await fixture.sessions.end(sessionID: ended.sessionID, at: Self.start)
        let forged = own.access.dropLast(4) + (own.access.hasSuffix("AAAA") ? "BBBB" : "AAAA")
        let bad = [
            "x", "a.b.c", String(repeating: "A", count: 86), others.access, others.refresh, try own.id, ended.access,
            ended.refresh, String(forged),
        ]
        for token in bad {
            let response = try await ask(fixture, token)
            #expect(response.status == 200)
            #expect(try response.object == ["active": false])
        }
        #expect(try await ask(fixture, own.access, at: Self.start + 1800).object == ["active": false])
        #expect(try await ask(fixture, own.refresh, at: Self.start + 31 * 86_400).object == ["active": false])
        #expect(try await fixture.isActive(own.access))
    }

    @Test(arguments: [RevocationTarget.subject("alice"), .tenant])
    func revokedTokenIsInactive(_ target: RevocationTarget) async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        _ = try await fixture.store.revoke([Revocation(tenant: "clans", target: target, revokedAt: Self.start + 5)])
        #expect(try await !fixture.isActive(tokens.access, at: Self.start + 6))
        #expect(try await !fixture.isActive(tokens.refresh, at: Self.start + 6))
    }

    @Test func accessTokenIntrospectsTokensOfSameSubject() async throws {
        let fixture = try IssuerFixture()
        fixture.accounts.put(Account(subject: "bob", createdAt: 1))
        let (alice, again, bob) = (
            try await fixture.tokens(), try await fixture.tokens(for: .board), try await fixture.tokens(subject: "bob")
        )
        let bearer = "Bearer \(alice.access)"
        for token in [alice.access, alice.refresh, again.access, again.refresh] {
            #expect(try await ask(fixture, token, authorization: bearer).object["active"] == true)
        }
        for token in [bob.access, bob.refresh, "x"] {
            #expect(try await ask(fixture, token, authorization: bearer).object == ["active": false])
        }
    }

    @Test func invalidBearerTokenIsRefused() async throws {
        let store = WatchedStore()
        let (fixture, chat) = (try IssuerFixture("clans", store), try IssuerFixture("chat", store))
        let (own, others) = (try await fixture.tokens(), try await chat.tokens())
        for token in [try own.id, own.refresh, others.access, "x"] {
            let response = try await ask(fixture, own.access, authorization: "Bearer \(token)")
            #expect(response.outcome == "401 invalid_token")
            #expect(
                response.field("WWW-Authenticate")?.hasPrefix("Bearer realm=\"clans\", error=\"invalid_token\"") == true
            )
        }
    }

    @Test func publicClientIsRefused() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        let form = [("token", tokens.access)] + IssuerClient.mobile.credentials
        #expect(try await fixture.post(.introspect, form).outcome == "401 invalid_client")
        #expect(try await fixture.post(.introspect, [("token", tokens.access)]).outcome == "401 invalid_client")
        #expect(try await fixture.post(.introspect, IssuerClient.board.credentials).outcome == "400 invalid_request")
    }

    @Test func storeFailureIsReported() async throws {
        let fixture = try IssuerFixture()
        let tokens = try await fixture.tokens()
        fixture.store.fail([.value])
        for token in [tokens.access, tokens.refresh] {
            #expect(try await ask(fixture, token).outcome == "503 temporarily_unavailable")
        }
    }
}
