import HTTPTypes
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing
import Time
import Verification

@testable import Demo

struct AppleStandInTests {
    @Test func codeIsExchangedForTokenWithNonce() async throws {
        try await StandInUnderTest.run { stand in
            let response = try await stand.post("/apple/auth/token", try stand.appleGrant())
            #expect(response.status == 200)
            let keys = try await stand.get("/apple/auth/keys")
            #expect(keys.headers[.cacheControl]?.contains("max-age=") == true)
            let policy = VerificationPolicy(
                issuers: [
                    IssuerPolicy(
                        issuer: stand.standIn.appleIssuer,
                        audiences: ["com.example.clans.web"],
                        algorithms: [.rs256],
                        keys: try KeySet(jwks: Array(keys.body.readableBytesView))
                    )
                ]
            )
            let token = try #require(response.json["id_token"]?.string)
            let principal = try TokenVerifier(policy).verify(Array(token.utf8), at: noon)
            #expect(principal.claims["nonce"] == "the-nonce")
            #expect(principal.claims["email"] == "alice@example.com")
            #expect(principal.claims["email_verified"] == "true")
        }
    }

    @Test func browserPostsNameAtFirstSignInOnly() async throws {
        try await StandInUnderTest.run { stand in
            let first = try stand.standIn.redirect(for: stand.appleURL())
            #expect(first.isPost)
            #expect(first.url == StandInUnderTest.appleRedirect)
            #expect(first["state"] == "the-state")
            let user = try JSONParser.parse(Array(try #require(first["user"]).utf8)).object
            #expect(user?["name"] == ["firstName": "Alice", "lastName": "Example"])
            _ = try await stand.post("/apple/auth/token", try stand.appleGrant())
            #expect(try stand.standIn.redirect(for: stand.appleURL())["user"] == nil)
        }
    }

    @Test func pageHasFormsForBothResponses() async throws {
        try await StandInUnderTest.run { stand in
            stand.standIn.setUser(
                ProviderUser(subject: "s", email: "b@example.com", givenName: "<b>", familyName: "\"Q\""),
                at: .apple
            )
            let path = String(stand.appleURL().dropFirst(stand.standIn.url.count))
            let page = String(buffer: try await stand.get(path).body)
            #expect(page.contains(#"method="post" action="\#(StandInUnderTest.appleRedirect)""#))
            #expect(page.contains("Continue as &lt;b&gt; &quot;Q&quot;"))
            #expect(page.contains(#"name="error" value="user_cancelled_authorize""#))
            #expect(!page.contains("<script>"))
            stand.standIn.setSkipsConsent(true)
            #expect(String(buffer: try await stand.get(path).body).contains("<script>"))
        }
    }

    @Test(arguments: [
        ["client_id": "com.example.clans"], ["client_id": ""], ["response_type": "token"], ["response_mode": "query"],
        ["response_mode": "other"], ["scope": "openid"], ["redirect_uri": "https://clans.localtest/elsewhere"],
        ["redirect_uri": "https://evil.example/api/v1/users/oauth2/callback/apple"],
        ["redirect_uri": "https://clans.localtest.evil.example/api/v1/users/oauth2/callback/apple"],
        ["redirect_uri": "https://clans.localtest@evil.example/api/v1/users/oauth2/callback/apple"],
        ["redirect_uri": "\(StandInUnderTest.appleRedirect)?a=b"], ["redirect_uri": ""],
    ])
    func invalidAppleAuthorizationShowsError(_ changes: [String: String]) async throws {
        try await StandInUnderTest.run { stand in
            let path = String(stand.appleURL(changes).dropFirst(stand.standIn.url.count))
            let response = try await stand.get(path)
            #expect(response.status == .badRequest)
            #expect(!String(buffer: response.body).contains("<form"))
        }
    }

    @Test func duplicateParameterIsRefused() async throws {
        try await StandInUnderTest.run { stand in
            let path = String(stand.appleURL().dropFirst(stand.standIn.url.count))
            let response = try await stand.get("\(path)&state=other")
            #expect(response.status == .badRequest)
        }
    }

    @Test(arguments: [
        (["grant_type": "password"], "unsupported_grant_type"), (["grant_type": ""], "invalid_request"),
        (["code": "made-up"], "invalid_grant"), (["redirect_uri": "https://clans.localtest/"], "invalid_grant"),
        (["client_id": "com.example.clans"], "invalid_client"), (["client_secret": "x"], "invalid_client"),
        (["client_secret": ""], "invalid_request"),
    ])
    func invalidAppleExchangeIsRefused(_ changes: [String: String], _ error: String) async throws {
        try await StandInUnderTest.run { stand in
            let response = try await stand.post("/apple/auth/token", try stand.appleGrant(changes))
            #expect(response.status == 400)
            #expect(response.json["error"] == .string(error))
        }
    }

    @Test(
        arguments: [
            ["iss": "OTHER"], ["sub": "com.example.clans"], ["aud": "https://appleid.apple.com.evil.example"],
            ["exp": 1_769_999_000], ["exp": 1_790_000_000], ["exp": nil], ["iat": nil],
        ] as [JSONObject]
    )
    func clientSecretWithWrongClaimIsRefused(_ changes: JSONObject) async throws {
        try await StandInUnderTest.run { stand in
            let secret = try stand.appleSecret(changes)
            let response = try await stand.post("/apple/auth/token", try stand.appleGrant(["client_secret": secret]))
            #expect(response.json["error"] == "invalid_client")
        }
    }

    @Test func clientSecretRequiresRegisteredKey() async throws {
        try await StandInUnderTest.run { stand in
            for secret in [
                try stand.appleSecret(kid: "OTHER"), try stand.appleSecret(key: try SigningKey.generate(.p256)),
            ] {
                let response = try await stand.post(
                    "/apple/auth/token",
                    try stand.appleGrant(["client_secret": secret])
                )
                #expect(response.json["error"] == "invalid_client")
            }
        }
    }

    @Test func codeWorksOnceAndForFiveMinutes() async throws {
        let clock = Mutex(noon)
        try await StandInUnderTest.run(now: { clock.withLock { $0 } }) { stand in
            let grant = try stand.appleGrant()
            #expect(try await stand.post("/apple/auth/token", grant).status == 200)
            #expect(try await stand.post("/apple/auth/token", grant).json["error"] == "invalid_grant")
            let late = try stand.appleGrant(["client_secret": try stand.appleSecret(["exp": 1_770_003_600])])
            clock.withLock { $0 = noon + 301 }
            #expect(try await stand.post("/apple/auth/token", late).json["error"] == "invalid_grant")
        }
    }

    @Test func otherMethodsAndMediaTypesAreRefused() async throws {
        try await StandInUnderTest.run { stand in
            #expect(try await stand.get("/apple/auth/token").status.code >= 400)
            let asJSON = try await stand.client.execute(
                uri: "/apple/auth/token",
                method: .post,
                headers: [.contentType: "application/json"],
                body: ByteBuffer(string: "{}")
            )
            #expect(asJSON.status == .badRequest)
        }
    }

    @Test func tokensCarryRequestedClaims() async throws {
        try await StandInUnderTest.run { stand in
            let token = try stand.standIn.appleIdentityToken(
                subject: "s",
                email: "x@privaterelay.appleid.com",
                emailVerified: true,
                isPrivate: "true",
                audience: "app",
                rawNonce: "abc",
                expiresIn: -10,
                issuer: "https://other.example"
            ) { $0["extra"] = 1 }
            let claims = try UnverifiedToken(Array(token.utf8)).claims()
            #expect(claims["nonce"] == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
            #expect(claims["email_verified"] == true)
            #expect(claims["is_private_email"] == "true")
            #expect(claims["exp"]?.double == noon.seconds - 10)
            #expect(try #require(claims["iat"]?.double) < noon.seconds - 10)
            #expect(claims["iss"] == "https://other.example")
            #expect(claims["extra"] == 1)
        }
    }

    @Test func eventsAreTextInToken() async throws {
        try await StandInUnderTest.run { stand in
            let event = try stand.standIn.appleEvent(type: "consent-revoked", subject: "s", at: noon, audience: "app")
            let claims = try UnverifiedToken(Array(event.utf8)).claims()
            let text = try #require(claims["events"]?.string)
            let content = try JSONParser.parse(Array(text.utf8)).object
            #expect(content?["type"] == "consent-revoked")
            #expect(content?["sub"] == "s")
            #expect(claims["jti"] != nil)
            #expect(claims["exp"] == nil)
        }
    }
}
