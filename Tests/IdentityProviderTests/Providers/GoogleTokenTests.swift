import Testing
import Verification

@testable import IdentityProvider
@testable import Tenants

struct GoogleIDTokenTests {
    private static let now = SignedByProviders.now

    private func check(_ changes: JSONObject) async throws -> ProviderIdentity {
        let token = try SignedByProviders.google(SignedByProviders.googleClaims(changes))
        return try await ProviderChecks.example().googleIdentity(idToken: token, at: Self.now)
    }

    private func refusal(_ changes: JSONObject) async throws -> EndpointRefusal {
        let token = try SignedByProviders.google(SignedByProviders.googleClaims(changes))
        let checks = try ProviderChecks.example()
        return try await providerRefusal {
            try await checks.googleIdentity(idToken: token, at: Self.now)
        }
    }

    @Test(arguments: GoogleSignIn.defaultIssuers)
    func validTokenGivesIdentity(issuer: String) async throws {
        let identity = try await check([
            "iss": .string(issuer), "email": "bo@example.org", "email_verified": true, "name": " Bo Ek ",
            "is_private_email": true,
        ])
        #expect(
            identity
                == ProviderIdentity(
                    provider: .google,
                    subject: "110169484474386276334",
                    email: "bo@example.org",
                    isEmailVerified: true,
                    name: "Bo Ek"
                )
        )
    }

    @Test func authorizedPartyMayBeAnotherApp() async throws {
        #expect(try await check(["azp": "org.example.android"]).subject == "110169484474386276334")
    }

    @Test(
        arguments: [
            (["aud": "org.example.other"], "its audience is no client of this tenant"),
            (["aud": "org.example.other", "azp": "org.example.rider"], "its audience is no client of this tenant"),
            (["aud": ["org.example.rider", "org.example.driver"]], "its audience is no client of this tenant"),
            (
                ["aud": ["org.example.rider", "org.example.driver"], "azp": "evil"],
                "its audience is no client of this tenant"
            ),
            (["iss": "https://appleid.apple.com"], "the token's issuer is not trusted here"),
            (["sub": "a\u{85}b"], "its sub is missing or malformed"),
            (["sub": 1], "the claim sub is not of the type that it must have"),
        ] as [(JSONObject, String)]
    )
    func invalidTokenIsRefusedWithReason(changes: JSONObject, reason: String) async throws {
        #expect(try await refusal(changes) == .invalidToken("Google's ID token is refused: \(reason)"))
    }

    @Test func expiredTokenHasItsOwnCode() async throws {
        #expect(try await refusal(["exp": 1_799_999_900]).code == .tokenExpired)
    }
}

struct GoogleAccessTokenTests {
    private static let userInfoURL = "https://openidconnect.googleapis.com/v1/userinfo"
    private static let tokenInfoURL = "https://oauth2.googleapis.com/tokeninfo"
    private static let token = "ya29.a0+/~=&x"
    private static let userInfo: JSONObject = [
        "sub": "1101", "email": "bo@example.org", "email_verified": true, "name": "Bo Ek",
    ]
    private static let tokenInfo: JSONObject = [
        "aud": "org.example.driver", "sub": "1101", "expires_in": "3598", "email": "bo@example.org",
        "email_verified": "true",
    ]

    private func requests(_ user: ScriptedRequests.Outcome, _ token: ScriptedRequests.Outcome) -> ScriptedRequests {
        ScriptedRequests([Self.userInfoURL: user, Self.tokenInfoURL: token])
    }

    private func identity(user: JSONObject = [:], token: JSONObject = [:]) async throws -> ProviderIdentity {
        let requests = requests(.json(Self.userInfo.changed(user)), .json(Self.tokenInfo.changed(token)))
        return try await ProviderChecks.example(requests: requests).googleIdentity(accessToken: Self.token, at: 0)
    }

    private func refusal(_ requests: ScriptedRequests, _ token: String = token) async throws -> EndpointRefusal {
        let checks = try ProviderChecks.example(requests: requests)
        return try await providerRefusal {
            try await checks.googleIdentity(accessToken: token, at: 0)
        }
    }

    @Test func identityComesFromUserInfoAndTokenInfo() async throws {
        let requests = requests(.json(Self.userInfo), .json(Self.tokenInfo))
        let identity = try await ProviderChecks.example(requests: requests)
            .googleIdentity(accessToken: Self.token, at: 0)
        #expect(
            identity
                == ProviderIdentity(
                    provider: .google,
                    subject: "1101",
                    email: "bo@example.org",
                    isEmailVerified: true,
                    name: "Bo Ek"
                )
        )
        #expect(requests.requests.count == 2)
        let user = try requests.request(to: Self.userInfoURL)
        #expect(
            user
                == ProviderRequest(
                    method: "GET",
                    url: Self.userInfoURL,
                    fields: [.init("Authorization", "Bearer ya29.a0+/~=&x"), .init("Accept", "application/json")]
                )
        )
        let token = try requests.request(to: Self.tokenInfoURL)
        #expect(
            token
                == ProviderRequest(
                    method: "GET",
                    url: Self.tokenInfoURL + "?access_token=ya29.a0%2B%2F~%3D%26x",
                    fields: [.init("Accept", "application/json")]
                )
        )
        for request in [user, token] {
            #expect(!"\(request) \(String(reflecting: request))".contains("ya29"))
        }
    }

    @Test(
        arguments: [
            ["aud": "org.example.other"], ["aud": nil], ["aud": ["org.example.driver"]], ["aud": ""],
            ["aud": "org.example.other", "azp": "org.example.driver"],
        ] as [JSONObject]
    )
    func tokenOfAnotherAppIsRefused(change: JSONObject) async throws {
        let refusal = try await refusal(requests(.json(Self.userInfo), .json(Self.tokenInfo.changed(change))))
        #expect(refusal == .invalidToken("the access token was not issued to a client of this tenant"))
    }

    @Test(arguments: ["0", "-1", "", "soon", 0, -5, true, []] as [JSONValue])
    func expiredAccessTokenIsRefused(expiresIn: JSONValue) async throws {
        let answer = Self.tokenInfo.changed(["expires_in": expiresIn])
        #expect(try await refusal(requests(.json(Self.userInfo), .json(answer))).code == .tokenExpired)
    }

    @Test(arguments: [nil, 1, "1"] as [JSONValue])
    func currentAccessTokenIsAccepted(expiresIn: JSONValue) async throws {
        #expect(try await identity(token: ["expires_in": expiresIn]).subject == "1101")
    }

    @Test func bothResponsesMustHaveSameSubject() async throws {
        let nobody = EndpointRefusal.invalidToken(
            "the access token has no subject: it needs the scope openid"
        )
        let table: [(JSONObject, JSONObject, EndpointRefusal)] = [
            (["sub": "1102"], [:], .invalidToken("Google names two owners of the access token")),
            ([:], ["sub": "11010"], .invalidToken("Google names two owners of the access token")),
            (["sub": nil], [:], nobody), ([:], ["sub": nil], nobody), (["sub": nil], ["sub": nil], nobody),
            (["sub": ""], ["sub": ""], nobody), (["sub": 1101], [:], nobody),
        ]
        for (user, token, expected) in table {
            let requests = requests(.json(Self.userInfo.changed(user)), .json(Self.tokenInfo.changed(token)))
            #expect(try await refusal(requests) == expected)
        }
    }

    @Test func emailIsVerifiedIfEveryResponseWithItSaysSo() async throws {
        #expect(try await identity(token: ["email": nil, "email_verified": nil]).isEmailVerified)
        #expect(try await identity(user: ["email": nil]).email == "bo@example.org")
        #expect(try await identity(user: ["email": nil]).isEmailVerified)
        #expect(try await identity(token: ["email_verified": nil]).isEmailVerified)
        for (user, token) in [
            (["email_verified": nil], [:]), (["email_verified": false], [:]), ([:], ["email_verified": "false"]),
            ([:], ["email": "eve@example.org"]), (["email": nil], ["email_verified": "false"]),
        ] as [(JSONObject, JSONObject)] {
            let identity = try await identity(user: user, token: token)
            #expect(identity.email == "bo@example.org")
            #expect(!identity.isEmailVerified)
        }
        #expect(try await identity(user: ["email": nil], token: ["email": nil]).email == nil)
    }

    @Test(arguments: [
        ("", 0), ("a\r\nX-Evil: 1", 0), ("a b", 0), ("ä", 0), ("a\u{7F}", 0), (String(repeating: "a", count: 4097), 0),
    ])
    func malformedTokenIsRefusedWithoutRequest(token: String, asked: Int) async throws {
        let requests = ScriptedRequests()
        #expect(try await refusal(requests, token).code == .invalidToken)
        #expect(requests.requests.count == asked)
    }

    @Test func longestTokenIsAccepted() async throws {
        let requests = requests(.json(Self.userInfo), .json(Self.tokenInfo))
        let token = String(repeating: "a", count: 4096)
        let identity = try await ProviderChecks.example(requests: requests).googleIdentity(accessToken: token, at: 0)
        #expect(identity.subject == "1101")
    }

    @Test(arguments: [400, 401, 403])
    func tokenRefusedByGoogleIsRefused(status: Int) async throws {
        let no = ScriptedRequests.Outcome.json(["error": "invalid_token"], status: status)
        for requests in [
            requests(no, .json(Self.tokenInfo)), requests(.json(Self.userInfo), no), requests(no, no),
            requests(no, .failure(.timeout)), requests(.text("", status: 500), no),
        ] {
            #expect(try await refusal(requests) == .invalidToken("Google refuses the access token: sign in again"))
        }
    }

    @Test(
        arguments: [
            .failure(.unreachable), .failure(.garbled), .text("{}", status: 500), .text("", status: 503),
            .text("", status: 302), .text("{", status: 200), .text("[]"), .text(""), .text("{}", status: 429),
            .text("{}", status: 408), .text("{}", status: 204),
        ] as [ScriptedRequests.Outcome]
    )
    func googleFailureIsUnavailable(answer: ScriptedRequests.Outcome) async throws {
        for requests in [requests(answer, .json(Self.tokenInfo)), requests(.json(Self.userInfo), answer)] {
            let refusal = try await refusal(requests)
            #expect(refusal.code == .backendUnavailable)
            #expect(refusal.status == 503)
            #expect(refusal.retryAfterSeconds == 2)
        }
    }

    @Test func timeoutHasItsOwnCode() async throws {
        let refusal = try await refusal(requests(.json(Self.userInfo), .failure(.timeout)))
        #expect(refusal.code == .backendTimeout)
        #expect(refusal.retryAfterSeconds == 2)
    }
}
