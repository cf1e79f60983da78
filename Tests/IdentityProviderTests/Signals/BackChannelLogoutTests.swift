import Signals
import Store
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import SignalReceiver

struct BackChannelLogoutTests {
    private static func error(_ response: EndpointResponse) throws -> JSONObject {
        try #require(JSONParser.parse(response.body).object)
    }

    /// A sender may have many users.
    @Test func revocationsOfOwnTokensAreKeptNoLongerThanThose() throws {
        var tenant = try SignalFixture().tenant
        #expect(tenant.reportedRevocationLife == 365 * 86_400)
        tenant.authenticate.policy.issuers = []
        #expect(tenant.reportedRevocationLife >= 30 * 86_400 && tenant.reportedRevocationLife < 32 * 86_400)
    }

    @Test func sessionOfTheLogoutTokenIsRevoked() async throws {
        let fixture = try SignalFixture()
        let response = try await fixture.logOut(try fixture.logoutToken())
        #expect(response.status == 200)
        #expect(response.body.isEmpty)
        #expect(response.fields.contains(EndpointResponse.Field("Cache-Control", "no-store")))
        #expect(fixture.revoked == [.session("s1")])
    }

    /// The subject is named for the accounts that it signs in to; its other sessions at the issuer go on.
    @Test func sessionBesideItsSubjectEndsAlone() async throws {
        let fixture = try SignalFixture()
        let sender = try #require(fixture.tenant.trustedSenders.first { $0.role == .issuer })
        let owner = SignalTarget.Owner.issuer(SignalFixture.issuer)
        let hasEnded = try await SignalRevoker(context: fixture.endpoints.context).end(
            [.session("s1", owner), .subject("alice", owner)],
            by: sender,
            issuer: SignalFixture.issuer,
            before: SignalFixture.start,
            at: SignalFixture.start,
            reason: "a logout"
        )
        #expect(hasEnded)
        #expect(fixture.revoked == [.session("s1")])
    }

    @Test func subjectIsRevokedUpToTheTokensTimeWithoutASession() async throws {
        let fixture = try SignalFixture()
        #expect(try await fixture.logOut(try fixture.logoutToken(["sid": .null])).status == 200)
        #expect(fixture.revoked == [.subject("alice")])
        // The issuer does not say how long its tokens live.
        let last = try #require(fixture.revocations.all.first?.expiresAt)
        #expect(last >= SignalFixture.start + 364 * 86_400 && last < SignalFixture.start + 366 * 86_400)
        #expect(fixture.revocations.all.first?.revokedAt == UnixTime(SignalFixture.start.seconds.rounded(.down) - 10))
    }

    @Test func logoutTokenWorksOnceInTheWholeFleet() async throws {
        let store = MemoryStore.still
        let (first, token) = (try SignalFixture(store: store), "j1")
        let logout = try first.logoutToken(["jti": .string(token)])
        #expect(try await first.logOut(logout).status == 200)
        let again = try await first.logOut(logout)
        #expect(again.status == 400)
        #expect(try Self.error(again)["error"] == "invalid_request")
        #expect(first.revoked.count == 1)
        // Another token of the same name, of another issuer, is another.
        #expect(try await first.logOut(try first.logoutToken(["jti": "j2"])).status == 200)
    }

    @Test func logoutThatIsNotStoredIsNeverAcknowledged() async throws {
        let store = WatchedStore()
        let fixture = try SignalFixture(store: store)
        let token = try fixture.logoutToken()
        for call in [WatchedStore.Call.value, .revoke, .replace] {
            store.fail([call])
            let response = try await fixture.logOut(token)
            #expect(response.status == 503, "\(call)")
            #expect(response.fields.contains { $0.name == "Retry-After" })
        }
        store.onCall(nil)
        // It was not used up.
        #expect(try await fixture.logOut(token).status == 200)
    }

    private static let hostile: [KeyValuePairs<String, JSONValue>] = [
        ["aud": "other"], ["iss": "https://evil.test"], ["nonce": "n"], ["events": .null], ["events": [:]],
        ["iat": .null], ["exp": .null], ["jti": .null], ["sub": .null, "sid": .null], ["iss": .null],
        ["iat": SignalFixture.time(3600)], ["exp": SignalFixture.time(-3600)], ["iat": SignalFixture.time(-90_000)],
    ]

    @Test(arguments: hostile)
    func hostileLogoutTokenIsRefused(_ changes: KeyValuePairs<String, JSONValue>) async throws {
        let fixture = try SignalFixture()
        let response = try await fixture.logOut(try fixture.logoutToken(changes))
        #expect(response.status == 400)
        #expect(try Self.error(response)["error_description"]?.string?.isEmpty == false)
        #expect(fixture.revoked.isEmpty)
    }

    @Test(arguments: ["at+jwt", "secevent+jwt", "dpop+jwt"])
    func tokenOfAnotherTypeIsRefused(_ type: String) async throws {
        let fixture = try SignalFixture()
        #expect(try await fixture.logOut(try fixture.logoutToken(type: type)).status == 400)
        #expect(fixture.revoked.isEmpty)
    }

    @Test func forgedSignaturesAreRefused() async throws {
        let fixture = try SignalFixture()
        let good = try fixture.logoutToken()
        let payload = good.split(separator: ".")[1]
        let none = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + ".\(payload)."
        // Signed with the public key as if it were a secret (RFC 8725 section 2.1).
        let pem = try #require(fixture.key.publicKeyPEM)
        let claims = try UnverifiedToken(Array(good.utf8)).claims()
        let confused = try TokenSigner(SigningKey(secret: Array(pem.utf8)), algorithm: .hs256).sign(claims)
        let stranger = try fixture.token(claims, type: "logout+jwt", key: try SigningKey.generate(.p256))
        for token in [
            none, confused, stranger, String(good.dropLast(4)), "x", "", String(repeating: "a", count: 20_000),
        ] {
            #expect(try await fixture.logOut(token).status == 400)
        }
        #expect(fixture.revoked.isEmpty)
    }

    @Test func claimsThatAreGivenTwiceAreRefused() async throws {
        let fixture = try SignalFixture()
        let payload = """
            {"iss":"https://id.test","aud":"shop","jti":"j","iat":\(Int(SignalFixture.start.seconds)),\
            "exp":\(Int(SignalFixture.start.seconds) + 60),"sub":"alice","sub":"bob",\
            "events":{"http://schemas.openid.net/event/backchannel-logout":{}}}
            """
        let token = try TokenSigner(fixture.key, algorithm: .es256, keyID: fixture.key.thumbprint)
            .sign(payload: Array(payload.utf8))
        #expect(try await fixture.logOut(token).status == 400)
        #expect(fixture.revoked.isEmpty)
    }

    @Test func signInsWithAProviderEnd() async throws {
        let fixture = try SignalFixture()
        fixture.accounts.put(
            Account(
                subject: "account-1",
                identities: [Account.Identity(provider: .google, subject: "g-1")],
                createdAt: SignalFixture.start
            )
        )
        let tokens = try await fixture.sessions.start(
            SessionOpening(subject: "account-1"),
            at: SignalFixture.start - 100
        )
        let token = try fixture.logoutToken([
            "iss": "https://accounts.google.com", "aud": "chat-ios", "sub": "g-1", "sid": "unknown",
        ])
        // Google signs with RS256 alone.
        #expect(try await fixture.logOut(token).status == 400)
        let rsa = try SigningKey.generate(.rsa(bits: 2048))
        let source = try #require(fixture.tenant.signIn?.keys(of: .google))
        fixture.tokens.publish(try KeySet(jwk: try #require(rsa.publicJWK()), origin: .url), at: source)
        let claims = try UnverifiedToken(Array(token.utf8)).claims()
        let signed = try TokenSigner(rsa, algorithm: .rs256, keyID: rsa.thumbprint).sign(claims)
        #expect(try await fixture.logOut(signed).status == 200)
        let refresh = try #require(tokens.refreshToken)
        await #expect(throws: IssuingError.self) {
            try await fixture.sessions.refresh(refresh, at: SignalFixture.start + 1)
        }
        // A session alone says nothing of who signed in with the provider.
        var nameless = claims
        nameless["sub"] = JSONValue?.none
        nameless["jti"] = "j9"
        let without = try TokenSigner(rsa, algorithm: .rs256, keyID: rsa.thumbprint).sign(nameless)
        #expect(try await fixture.logOut(without).status == 400)
    }

    @Test func keysOutOfReachAreNoRefusal() async throws {
        let fixture = try SignalFixture()
        let source = try #require(fixture.tenant.signIn?.keys(of: .google))
        fixture.tokens.publish(nil, at: source)
        let token = try fixture.logoutToken(["iss": "https://accounts.google.com", "aud": "chat-ios"])
        #expect(try await fixture.logOut(token).status == 503)
    }
}
