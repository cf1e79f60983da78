import Store
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Apple's identity tokens at a tenant that issues sessions.
struct AppleIssuingTests {
    private static let start = ExchangeFixture.start
    private static let body: JSONObject = ["identity_token": "apple-token", "nonce": "n-1"]

    private static func fixture(_ store: any Store = MemoryStore.still) throws -> ExchangeFixture {
        let fixture = try ExchangeFixture(store: store)
        fixture.checks.issueApple("apple-token")
        return fixture
    }

    @Test func validTokenBeginsSession() async throws {
        let fixture = try Self.fixture()
        let answer = await fixture.post(
            .appleExchange,
            [
                "identity_token": "apple-token", "nonce": "n-1", "userIdentifier": "001.apple",
                "full_name": ["givenName": "Alice", "familyName": "Ng"], "email": "Alice@Example.org",
            ]
        )
        let response = try answer.response
        #expect(response.status == 200)
        #expect(response.fields.contains(EndpointResponse.Field("Cache-Control", "no-store")))
        #expect(response.subject == "account-of-001.apple")
        let object = try answer.object
        #expect(
            object.members.map(\.name) == [
                "success", "token", "access_token", "refresh_token", "id_token", "token_type", "expires_in", "user",
            ]
        )
        #expect(object["success"] == true)
        #expect(object["token"] == object["access_token"])
        #expect(object["token_type"] == "bearer")
        #expect(object["expires_in"] == 1800)
        #expect(object["user"]?.object?["name"] == "Alice Ng")
        #expect(object["user"]?.object?["email"] == "alice@example.org")

        let token = try object.text("access_token")
        let principal = try fixture.verifier().verify(Array(token.utf8), at: Self.start)
        #expect(principal.subject == "account-of-001.apple")
        #expect(principal.roles == ["customer"])
        let session = try await fixture.sessions.session(try #require(principal.sessionID), at: Self.start)
        #expect(session?.device == "Chat/7 (iPhone)")
        #expect(session?.beganInBrowser == false)
        let refreshed = try await fixture.sessions.refresh(object.text("refresh_token"), at: Self.start + 1)
        #expect(refreshed.sessionID == principal.sessionID)
        #expect(fixture.counts.snapshot().signIns.map(\.key.outcome) == [.issued])
    }

    @Test(
        arguments: [
            ["full_name": "Alice Ng"], ["name": ["firstName": "Alice", "lastName": "Ng"]],
            ["full_name": "", "name": "Alice Ng"], ["full_name": 7, "name": "Alice Ng"],
        ] as [JSONObject]
    )
    func nameIsReadFromAnyMember(_ names: JSONObject) async throws {
        let fixture = try Self.fixture()
        var body = Self.body
        for member in names.members { body[member.name] = member.value }
        let object = try await fixture.post(.appleExchange, body).object
        #expect(object["user"]?.object?["name"] == "Alice Ng")
    }

    @Test(arguments: [1, 59, 60, -5] as [Double])
    func retryWithinOneMinuteGetsSameResponse(after seconds: Double) async throws {
        let fixture = try Self.fixture()
        let first = await fixture.post(.appleExchange, Self.body)
        _ = try first.object
        #expect(await fixture.post(.appleExchange, Self.body, at: Self.start + seconds) == first)
        let counts = fixture.counts.snapshot().signIns
        #expect(counts.count == 2)
        #expect(counts.first { $0.key.outcome == .repeated }?.value == 1)
    }

    @Test func retryWindowStartsAtFirstExchange() async throws {
        let fixture = try Self.fixture()
        let first = await fixture.post(.appleExchange, Self.body)
        #expect(await fixture.post(.appleExchange, Self.body, at: Self.start + 40) == first)
        let late = await fixture.post(.appleExchange, Self.body, at: Self.start + 61)
        #expect(late.refusal?.code == .invalidToken)
        #expect(late.refusal?.status == 401)
    }

    @Test(arguments: ["n-2", "N-1", nil])
    func retryWithAnotherNonceIsRefused(nonce: String?) async throws {
        let fixture = try Self.fixture()
        let first = await fixture.post(.appleExchange, Self.body)
        var body = Self.body
        body["nonce"] = nonce.map(JSONValue.string)
        #expect(await fixture.post(.appleExchange, body, at: Self.start + 1).refusal?.status == 401)
        #expect(await fixture.post(.appleExchange, Self.body, at: Self.start + 2) == first)
    }

    @Test func retryAfterLogoutIsRefused() async throws {
        let fixture = try Self.fixture()
        let first = await fixture.post(.appleExchange, Self.body)
        let principal = try fixture.verifier()
            .verify(Array(try first.object.text("token").utf8), at: Self.start)
        try await fixture.sessions.end(sessionID: try #require(principal.sessionID), at: Self.start + 1)
        #expect(await fixture.post(.appleExchange, Self.body, at: Self.start + 2).refusal?.code == .invalidToken)
    }

    @Test func retryAfterRevocationIsRefused() async throws {
        let fixture = try Self.fixture()
        _ = try await fixture.post(.appleExchange, Self.body).object
        try await fixture.revocations.revoke([
            Revocation(tenant: "chat", target: .subject("account-of-001.apple"), revokedAt: Self.start + 1)
        ])
        #expect(await fixture.post(.appleExchange, Self.body, at: Self.start + 2).refusal?.code == .invalidToken)
    }

    @Test func storedResponseOpensOnlyWithItsToken() async throws {
        let fixture = try Self.fixture()
        let session = OpenedSession(sessionID: "s", subject: "alice", body: ["token": "secret"])
        let sealed = try #require(session.sealed(with: "apple-token", tenant: "chat"))
        #expect(OpenedSession(sealed: sealed, with: "apple-token", tenant: "chat") == session)
        #expect(OpenedSession(sealed: sealed, with: "apple-token2", tenant: "chat") == nil)
        #expect(OpenedSession(sealed: sealed, with: "apple-token", tenant: "clans") == nil)
        #expect(!"\(session)".contains("secret"))

        _ = try await fixture.post(.appleExchange, Self.body).object
        let key = StoreKey(tenant: "chat", kind: "apple-exchange", hashing: SHA256.digest(Array("apple-token".utf8)))
        let stored = try #require(try await fixture.store.value(for: key))
        let text = String(decoding: stored, as: UTF8.self)
        // The nonce with its quotes: sealed text in Base64 may have these three characters by chance.
        #expect(!text.contains("apple-token") && !text.contains("access_token") && !text.contains("\"n-1\""))
    }

    @Test func otherUserIdentifierThanTokenSubjectIsRefused() async throws {
        let fixture = try Self.fixture()
        var body = Self.body
        body["userIdentifier"] = "002.victim"
        #expect(await fixture.post(.appleExchange, body).refusal?.code == .invalidToken)
        #expect(fixture.accounts.all.isEmpty)
    }

    @Test func roleConflictDoesNotSpendToken() async throws {
        let fixture = try Self.fixture()
        fixture.accounts.fail(.otherRole("driver"))
        let conflict = await fixture.post(.appleExchange, Self.body)
        #expect(try conflict.response.status == 409)
        #expect(try conflict.object == ["error": "This account is registered as a driver"])
        #expect(fixture.counts.snapshot().signIns.map(\.key.outcome) == [.refused])
        fixture.accounts.fail(nil)
        _ = try await fixture.post(.appleExchange, Self.body, at: Self.start + 100).object
    }

    @Test func expiredTokenIsRefused() async throws {
        let fixture = try Self.fixture()
        fixture.checks.issueApple("apple-token", until: Self.start - 100)
        #expect(await fixture.post(.appleExchange, Self.body).refusal?.code == .tokenExpired)
    }
}
