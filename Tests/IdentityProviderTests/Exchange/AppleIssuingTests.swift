import Store
import Testing
import Time
import Verification

@testable import IdentityProvider

/// Apple's identity tokens at a tenant that issues sessions.
@Suite struct AppleIssuingTests {
    private static let start = ExchangeFixture.start
    private static let body: JSONObject = ["identity_token": "apple-token", "nonce": "n-1"]

    private static func stage(_ store: any Store = MemoryStore.still) throws -> ExchangeFixture {
        let stage = try ExchangeFixture(store: store)
        stage.checks.issueApple("apple-token")
        return stage
    }

    @Test func aGoodTokenBeginsASession() async throws {
        let stage = try Self.stage()
        let answer = await stage.post(
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
        let principal = try stage.verifier().verify(Array(token.utf8), at: Self.start)
        #expect(principal.subject == "account-of-001.apple")
        #expect(principal.roles == ["customer"])
        let session = try await stage.book.session(try #require(principal.sessionID), at: Self.start)
        #expect(session?.device == "Chat/7 (iPhone)")
        let refreshed = try await stage.book.refresh(object.text("refresh_token"), at: Self.start + 1)
        #expect(refreshed.sessionID == principal.sessionID)
        #expect(stage.counts.snapshot().signIns.map(\.key.outcome) == [.issued])
    }

    @Test(
        arguments: [
            ["full_name": "Alice Ng"], ["name": ["firstName": "Alice", "lastName": "Ng"]],
            ["full_name": "", "name": "Alice Ng"], ["full_name": 7, "name": "Alice Ng"],
        ] as [JSONObject]
    )
    func theNameIsTakenFromWhereverItIs(_ names: JSONObject) async throws {
        let stage = try Self.stage()
        var body = Self.body
        for member in names.members { body[member.name] = member.value }
        let object = try await stage.post(.appleExchange, body).object
        #expect(object["user"]?.object?["name"] == "Alice Ng")
    }

    @Test(arguments: [1, 59, 60, -5] as [Double])
    func aRetryWithinAMinuteGetsTheSameBytes(after seconds: Double) async throws {
        let stage = try Self.stage()
        let first = await stage.post(.appleExchange, Self.body)
        _ = try first.object
        #expect(await stage.post(.appleExchange, Self.body, at: Self.start + seconds) == first)
        let counts = stage.counts.snapshot().signIns
        #expect(counts.count == 2)
        #expect(counts.first { $0.key.outcome == .repeated }?.value == 1)
    }

    @Test func theMinuteCountsFromTheFirst() async throws {
        let stage = try Self.stage()
        let first = await stage.post(.appleExchange, Self.body)
        #expect(await stage.post(.appleExchange, Self.body, at: Self.start + 40) == first)
        let late = await stage.post(.appleExchange, Self.body, at: Self.start + 61)
        #expect(late.refusal?.code == .invalidToken)
        #expect(late.refusal?.status == 401)
    }

    @Test(arguments: ["n-2", "N-1", nil])
    func anotherNonceNeverPasses(nonce: String?) async throws {
        let stage = try Self.stage()
        let first = await stage.post(.appleExchange, Self.body)
        var body = Self.body
        body["nonce"] = nonce.map(JSONValue.string)
        #expect(await stage.post(.appleExchange, body, at: Self.start + 1).refusal?.status == 401)
        #expect(await stage.post(.appleExchange, Self.body, at: Self.start + 2) == first)
    }

    @Test func aRetryAfterALogoutGetsNoDeadTokens() async throws {
        let stage = try Self.stage()
        let first = await stage.post(.appleExchange, Self.body)
        let principal = try stage.verifier()
            .verify(Array(try first.object.text("token").utf8), at: Self.start)
        try await stage.book.end(sessionID: try #require(principal.sessionID), at: Self.start + 1)
        #expect(await stage.post(.appleExchange, Self.body, at: Self.start + 2).refusal?.code == .invalidToken)
    }

    @Test func aRetryAfterARevocationGetsNoDeadTokens() async throws {
        let stage = try Self.stage()
        _ = try await stage.post(.appleExchange, Self.body).object
        try await stage.revocations.revoke([
            Revocation(tenant: "chat", target: .subject("account-of-001.apple"), revokedAt: Self.start + 1)
        ])
        #expect(await stage.post(.appleExchange, Self.body, at: Self.start + 2).refusal?.code == .invalidToken)
    }

    @Test func whatTheStoreKeepsOpensForNoOtherToken() async throws {
        let stage = try Self.stage()
        let session = OpenedSession(sessionID: "s", subject: "alice", answer: ["token": "secret"])
        let sealed = try #require(session.sealed(with: "apple-token", tenant: "chat"))
        #expect(OpenedSession(sealed: sealed, with: "apple-token", tenant: "chat") == session)
        #expect(OpenedSession(sealed: sealed, with: "apple-token2", tenant: "chat") == nil)
        #expect(OpenedSession(sealed: sealed, with: "apple-token", tenant: "clans") == nil)
        #expect(!"\(session)".contains("secret"))

        _ = try await stage.post(.appleExchange, Self.body).object
        let key = StoreKey(tenant: "chat", kind: "apple-exchange", hashing: SHA256.digest(Array("apple-token".utf8)))
        let stored = try #require(try await stage.store.value(for: key))
        let text = String(decoding: stored, as: UTF8.self)
        #expect(!text.contains("apple-token") && !text.contains("access_token") && !text.contains("n-1"))
    }

    @Test func theTokenOfSomeoneElseThanTheBodySaysIsRefused() async throws {
        let stage = try Self.stage()
        var body = Self.body
        body["userIdentifier"] = "002.victim"
        #expect(await stage.post(.appleExchange, body).refusal?.code == .invalidToken)
        #expect(stage.accounts.all.isEmpty)
    }

    @Test func aRoleConflictIsToldAndSpendsNothing() async throws {
        let stage = try Self.stage()
        stage.accounts.fail(.otherRole("This account is registered as a driver"))
        let conflict = await stage.post(.appleExchange, Self.body)
        #expect(try conflict.response.status == 409)
        #expect(try conflict.object == ["error": "This account is registered as a driver"])
        #expect(stage.counts.snapshot().signIns.map(\.key.outcome) == [.refused])
        stage.accounts.fail(nil)
        _ = try await stage.post(.appleExchange, Self.body, at: Self.start + 100).object
    }

    @Test func anExpiredTokenIsTheProvidersToRefuse() async throws {
        let stage = try Self.stage()
        stage.checks.issueApple("apple-token", until: Self.start - 100)
        #expect(await stage.post(.appleExchange, Self.body).refusal?.code == .tokenExpired)
    }
}
