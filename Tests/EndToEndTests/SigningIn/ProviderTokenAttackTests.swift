import Demo
import Foundation
import Testing
import Verification

/// Provider tokens of another app, forged, expired, or replayed (OpenID Connect Core section 3.1.3.7).
@Suite struct ProviderTokenAttackTests {
    private static let apple = "/auth/apple"
    private static let google = "/auth/google"

    @Test func appleTokenWorksOnceAndOnlyWithItsNonce() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let app = fixture.app(.games)
            let token = JSONValue.string(
                fixture.keepSecret(try standIn.appleToken(.anna, for: "com.example.games", nonce: "right"))
            )
            for wrong in [["nonce": "wrong"], [:], ["nonce": ""]] as [JSONObject] {
                var body = wrong
                body["identity_token"] = token
                expectRefusal(try await app.post(Self.apple, json: body), 401, "invalid_token")
            }
            let body: JSONObject = ["identity_token": token, "nonce": "right"]
            let first = try GivenTokens(try await app.post(Self.apple, json: body), fixture)
            let again = try GivenTokens(try await app.post(Self.apple, json: body), fixture)
            #expect(again.json == first.json, "the same answer")
            for wrong in ["wrong", "RIGHT"] {
                let other: JSONObject = ["identity_token": token, "nonce": .string(wrong)]
                expectRefusal(try await app.post(Self.apple, json: other), 401, "invalid_token")
            }
            // A token without a nonce is accepted only without one.
            let plain = try standIn.appleToken(.anna, for: "com.example.games")
            let once = try GivenTokens(
                try await app.post(Self.apple, json: ["identity_token": .string(plain)]),
                fixture
            )
            #expect(once.refresh != first.refresh)
            let more: JSONObject = ["identity_token": .string(plain), "nonce": "a nonce that no token has"]
            expectRefusal(try await app.post(Self.apple, json: more), 401, "invalid_token")
            // After a sign-out the earlier response does not sign in again.
            #expect(try await app.post("/auth/logout", json: [:], token: first.access).status == 200)
            expectRefusal(try await app.post(Self.apple, json: body), 401, "invalid_token")
        }
    }

    /// Concurrent exchanges of one token share one session.
    @Test func concurrentExchangesShareOneSession() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let app = fixture.app(.games)
            let body: JSONObject = [
                "identity_token": .string(try standIn.appleToken(.anna, for: "com.example.games", nonce: "n")),
                "nonce": "n",
            ]
            let responses = try await withThrowingTaskGroup(of: RawResponse.self) { group in
                for _ in 0..<8 { group.addTask { try await app.post(Self.apple, json: body) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let tokens = try responses.map { try GivenTokens($0, fixture) }
            #expect(Set(tokens.map(\.refresh)).count == 1)
            for given in tokens { #expect(try await app.get("/scores", token: given.access).status == 200) }
        }
    }

    @Test func appleTokenForAnotherAppOrForgedIsRefused() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let app = fixture.app(.games)
            func make(
                audience: String = "com.example.games",
                expiresIn: Int = 600,
                issuer: String? = nil,
                isForged: Bool = false,
                changing: (inout JSONObject) -> Void = { _ in }
            ) throws -> String {
                try standIn.appleIdentityToken(
                    subject: ProviderUser.anna.subject,
                    audience: audience,
                    expiresIn: expiresIn,
                    issuer: issuer,
                    isForged: isForged,
                    changing: changing
                )
            }
            let bad: [(what: String, token: String, code: String)] = [
                ("another app's", try make(audience: "com.example.other"), "invalid_token"),
                ("the browsers' client's", try make(audience: "com.example.games.web"), "invalid_token"),
                ("expired", try make(expiresIn: -120), "token_expired"),
                ("another issuer's", try make(issuer: "https://appleid.apple.com"), "invalid_token"),
                ("forged", try make(isForged: true), "invalid_token"),
                ("several audiences'", try make { $0["aud"] = ["com.example.games", "evil"] }, "invalid_token"),
                ("nobody's", try make { $0["sub"] = JSONValue?.none }, "invalid_token"),
                ("without end", try make { $0["exp"] = JSONValue?.none }, "invalid_token"),
                (
                    "an event",
                    try standIn.appleEvent(
                        type: "email-enabled",
                        subject: ProviderUser.anna.subject,
                        audience: "com.example.games"
                    ), "invalid_token"
                ),
                ("Google's", try standIn.googleToken(.annaAtGoogle, for: "com.example.games"), "invalid_token"),
                ("the gateway's own algorithm", try fixture.token(["aud": "com.example.games"]), "invalid_token"),
                ("nothing at all", "e30.e30.", "invalid_token"),
            ]
            for (what, token, code) in bad {
                let response = try await app.post(Self.apple, json: ["identity_token": .string(token)])
                expectRefusal(response, 401, code, what)
            }
            let stolen: JSONObject = [
                "identity_token": .string(try make()), "userIdentifier": .string(ProviderUser.ben.subject),
            ]
            expectRefusal(try await app.post(Self.apple, json: stolen), 401, "invalid_token")
            let name: JSONObject = ["userIdentifier": .string(ProviderUser.anna.subject)]
            expectRefusal(try await app.post(Self.apple, json: name), 401, "missing_token")
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func googleTokenForAnotherAppIsRefused() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let app = fixture.app(.games)
            let user = ProviderUser.annaAtGoogle
            let access = standIn.googleAccessToken(subject: user.subject, email: user.email, audience: "evil.apps")
            let expired = standIn.googleAccessToken(
                subject: user.subject,
                email: user.email,
                audience: "games.apps.example",
                expiresIn: -1
            )
            let bad: [(what: String, body: JSONObject)] = [
                ("another app's access token", ["access_token": .string(access)]),
                ("an access token of yesterday", ["access_token": .string(expired)]),
                ("an access token of nobody", ["access_token": "ya29.nobodys"]),
                ("another app's ID token", ["id_token": .string(try standIn.googleToken(user, for: "evil.apps"))]),
                (
                    "a forged ID token",
                    [
                        "id_token": .string(
                            try standIn.googleIDToken(
                                subject: user.subject,
                                audience: "games.apps.example",
                                isForged: true
                            )
                        )
                    ]
                ),
                ("Apple's", ["id_token": .string(try standIn.appleToken(.anna, for: "games.apps.example"))]),
            ]
            for (what, body) in bad {
                let response = try await app.post(Self.google, json: body)
                #expect(response.status == 401, "\(what)")
                #expect(response.json?["access_token"] == nil, "\(what)")
            }
            // A valid token does not cover an invalid one beside it.
            let good = standIn.googleAccessToken(
                subject: ProviderUser.ben.subject,
                email: ProviderUser.ben.email,
                audience: "games.apps.example"
            )
            let both: JSONObject = [
                "access_token": .string(good),
                "id_token": .string(try standIn.googleToken(user, for: "games.apps.example")),
            ]
            expectRefusal(try await app.post(Self.google, json: both), 401, "invalid_token")
            _ = try GivenTokens(try await app.post(Self.google, json: ["access_token": .string(good)]), fixture)
        }
    }

    /// Only a verified address links accounts: Google accounts can be made with any address.
    @Test func unverifiedEmailDoesNotLinkAccounts() async throws {
        try await withApps(.chat) { fixture, standIn async throws in
            let app = fixture.app(.chat)
            let identity = try standIn.appleToken(.anna, for: "com.example.chat")
            let anna = try GivenTokens(
                try await app.post("/api/auth/mobile/apple", json: ["identity_token": .string(identity)]),
                fixture
            )
            let access = standIn.googleAccessToken(
                subject: "9999",
                email: ProviderUser.anna.email,
                emailVerified: false,
                audience: "chat-ios.apps.example"
            )
            let other = try GivenTokens(
                try await app.post("/api/auth/mobile/google", json: ["access_token": .string(access)]),
                fixture
            )
            #expect(other.user?["id"] != anna.user?["id"])
        }
    }

    @Test func unreachableProviderIs503() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let app = fixture.app(.games)
            let access = standIn.googleAccessToken(
                subject: ProviderUser.ben.subject,
                email: ProviderUser.ben.email,
                audience: "games.apps.example"
            )
            let body: JSONObject = ["access_token": .string(access)]
            for failure in [ProviderFailure.down, .status(500), .status(429), .garbage] {
                for endpoint in [ProviderEndpoint.userInfo, .tokenInfo] {
                    standIn.fail(failure, for: endpoint)
                    let response = try await app.post(Self.google, json: body)
                    expectRefusal(response, 503, "backend_unavailable", "\(failure) of \(endpoint)")
                    #expect(response.fields["Retry-After"].count == 1)
                    standIn.fail(nil, for: endpoint)
                }
            }
            _ = try GivenTokens(try await app.post(Self.google, json: body), fixture)
        }
    }
}
