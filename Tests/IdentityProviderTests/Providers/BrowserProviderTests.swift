import Logging
import TestSupport
import Testing
import Verification

@testable import IdentityProvider
@testable import Tenants

/// A provider for browser sign-in, with its requests and log.
private struct VisitedProvider {
    static let now = SignedByProviders.now
    static let redirectURI = "https://app.example/oauth2/callback"
    static let signingKey = try? SigningKey.generate(.p256)

    let provider: any BrowserProvider
    let requests: ScriptedRequests
    let log: RecordedLog

    static func web() throws -> AppleSignIn.Web {
        let pem = try #require(signingKey?.privateKeyPEM)
        return AppleSignIn.Web(
            clientID: "org.example.web",
            teamID: "TEAM123456",
            keyID: "KEY1234567",
            privateKey: Secret(pem)
        )
    }

    static func apple(_ answer: ScriptedRequests.Outcome, tokens: (any ProviderTokens)? = nil) throws -> VisitedProvider
    {
        let requests = ScriptedRequests(["https://appleid.apple.com/auth/token": answer])
        let log = RecordedLog()
        let provider = AppleBrowserProvider(
            try .example(),
            clientID: "org.example.web",
            web: try web(),
            tokens: try tokens ?? SignedByProviders(),
            requests: requests,
            logger: log.logger
        )
        return VisitedProvider(provider: try #require(provider), requests: requests, log: log)
    }

    static func google(
        _ answer: ScriptedRequests.Outcome,
        secret: Secret? = Secret("s&cret ä"),
        tokens: (any ProviderTokens)? = nil
    ) throws -> VisitedProvider {
        let requests = ScriptedRequests(["https://oauth2.googleapis.com/token": answer])
        let log = RecordedLog()
        let provider = GoogleBrowserProvider(
            at: SignIn().googleAddresses,
            clientID: "org.example.web",
            clientSecret: secret,
            tokens: try tokens ?? SignedByProviders(),
            requests: requests,
            logger: log.logger
        )
        return VisitedProvider(provider: provider, requests: requests, log: log)
    }

    static func both(_ answer: ScriptedRequests.Outcome) throws -> [VisitedProvider] {
        [try apple(answer), try google(answer)]
    }

    /// A token response with an ID token.
    static func token(_ provider: SignIn.Provider, _ changes: JSONObject = [:]) throws -> ScriptedRequests.Outcome {
        let own: JSONObject = ["aud": "org.example.web", "nonce": "nonce-1"]
        let token =
            switch provider {
            case .apple: try SignedByProviders.apple(SignedByProviders.appleClaims(own.changed(changes)))
            case .google, .named: try SignedByProviders.google(SignedByProviders.googleClaims(own.changed(changes)))
            }
        return .json(["access_token": "secret-a", "token_type": "Bearer", "id_token": .string(token)])
    }

    func identity(code: String = "c-0&de", nonce: String = "nonce-1") async throws(EndpointRefusal) -> ProviderIdentity
    {
        try await provider.identity(
            code: code,
            codeVerifier: "verifier-1",
            nonce: nonce,
            redirectURI: Self.redirectURI,
            at: Self.now
        )
    }

    func refusal(code: String = "c-0&de", nonce: String = "nonce-1") async throws -> EndpointRefusal {
        try await providerRefusal { try await identity(code: code, nonce: nonce) }
    }
}

struct BrowserProviderTests {
    private func authorizationURL(_ browser: VisitedProvider, signsInAnew: Bool = false) async throws -> String {
        try await browser.provider.authorizationURL(
            redirectURI: VisitedProvider.redirectURI,
            state: "state-1",
            nonce: "nonce-1",
            codeChallenge: "challenge-1",
            signsInAnew: signsInAnew,
            at: VisitedProvider.now
        )
    }

    @Test func appleAuthorizationURLUsesFormPostWithoutPKCE() async throws {
        #expect(
            try await authorizationURL(try .apple(.text("")))
                == "https://appleid.apple.com/auth/authorize?response_type=code&response_mode=form_post"
                + "&client_id=org.example.web&redirect_uri=https%3A%2F%2Fapp.example%2Foauth2%2Fcallback"
                + "&scope=name%20email&state=state-1&nonce=nonce-1"
        )
    }

    @Test func googleAuthorizationURLUsesPKCE() async throws {
        #expect(
            try await authorizationURL(try .google(.text("")))
                == "https://accounts.google.com/o/oauth2/v2/auth?response_type=code&client_id=org.example.web"
                + "&redirect_uri=https%3A%2F%2Fapp.example%2Foauth2%2Fcallback&scope=openid%20email%20profile"
                + "&state=state-1&nonce=nonce-1&code_challenge=challenge-1&code_challenge_method=S256"
        )
    }

    /// Google has no way to ask for the password again, but lets people choose whose account it is.
    @Test func whoSignsInAnewChoosesTheAccountAtGoogle() async throws {
        let google = try VisitedProvider.google(.text(""))
        #expect(try await authorizationURL(google, signsInAnew: true).hasSuffix("S256&prompt=select_account"))
        #expect(!google.provider.asksAnew)
        let apple = try VisitedProvider.apple(.text(""))
        #expect(try await authorizationURL(apple, signsInAnew: true) == authorizationURL(apple))
        #expect(apple.provider.asksAnew)
    }

    @Test func appleCodeIsExchangedForIdentity() async throws {
        let browser = try VisitedProvider.apple(
            VisitedProvider.token(.apple, ["email": "a@privaterelay.appleid.com", "email_verified": "true"])
        )
        #expect(
            try await browser.identity()
                == ProviderIdentity(
                    provider: .apple,
                    subject: "001234.abcdef.0815",
                    email: "a@privaterelay.appleid.com",
                    isEmailVerified: true,
                    isPrivateEmail: true
                )
        )
        let request = try browser.requests.request(to: "https://appleid.apple.com/auth/token")
        #expect(request.method == "POST")
        #expect(request.url == "https://appleid.apple.com/auth/token")
        #expect(
            request.fields == [
                .init("Content-Type", "application/x-www-form-urlencoded"), .init("Accept", "application/json"),
            ]
        )
        let form = try FormFields(request.body)
        #expect(form.all.map(\.name).sorted() == ["client_id", "client_secret", "code", "grant_type", "redirect_uri"])
        #expect(form["grant_type"] == "authorization_code")
        #expect(form["code"] == "c-0&de")
        #expect(form["redirect_uri"] == VisitedProvider.redirectURI)
        #expect(form["client_id"] == "org.example.web")
        try checkSecret(#require(form["client_secret"]))
    }

    private func checkSecret(_ secret: String) throws {
        let keys = try KeySet(jwk: #require(VisitedProvider.signingKey?.publicJWK()).changed(["kid": "KEY1234567"]))
        let (header, payload) = try JWS.verify(compact: Array(secret.utf8), keys: keys, algorithms: [.es256])
        #expect(header["alg"] == "ES256")
        #expect(header["kid"] == "KEY1234567")
        let claims: JSONValue = [
            "iss": "TEAM123456", "iat": 1_800_000_000, "exp": 1_800_000_300, "aud": "https://appleid.apple.com",
            "sub": "org.example.web",
        ]
        #expect(try JSONParser.parse(payload) == claims)
    }

    @Test func googleCodeIsExchangedForIdentity() async throws {
        let browser = try VisitedProvider.google(
            VisitedProvider.token(.google, ["name": "Bo Ek", "azp": "org.example.web"])
        )
        #expect(
            try await browser.identity()
                == ProviderIdentity(provider: .google, subject: "110169484474386276334", name: "Bo Ek")
        )
        let request = try browser.requests.request(to: "https://oauth2.googleapis.com/token")
        #expect(request.method == "POST")
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "grant_type=authorization_code&code=c-0%26de"
                + "&redirect_uri=https%3A%2F%2Fapp.example%2Foauth2%2Fcallback&client_id=org.example.web"
                + "&client_secret=s%26cret%20%C3%A4&code_verifier=verifier-1"
        )
        #expect(!"\(request) \(String(reflecting: request))".contains("verifier-1"))
    }

    @Test func clientWithoutSecretSendsNone() async throws {
        let browser = try VisitedProvider.google(VisitedProvider.token(.google), secret: nil)
        _ = try await browser.identity()
        let request = try browser.requests.request(to: "https://oauth2.googleapis.com/token")
        #expect(try FormFields(request.body)["client_secret"] == nil)
        #expect(try FormFields(request.body)["code_verifier"] == "verifier-1")
    }

    @Test(
        arguments: SignIn.Provider.wellKnown,
        [
            (["nonce": "nonce-2"], "nonce-1"), (["nonce": nil], "nonce-1"), (["nonce": ""], ""),
            (["nonce": 1], "nonce-1"), (["nonce": "NONCE-1"], "nonce-1"), (["aud": "org.example.page"], "nonce-1"),
            (["aud": "org.example.rider"], "nonce-1"), (["azp": "org.example.page"], "nonce-1"),
            (["aud": ["org.example.web", "org.example.page"], "azp": "org.example.web"], "nonce-1"),
            (["iss": "https://evil.example"], "nonce-1"), (["sub": ""], "nonce-1"),
        ] as [(JSONObject, String)]
    )
    func tokenOfAnotherSignInIsRefused(provider: SignIn.Provider, broken: (JSONObject, String)) async throws {
        let answer = try VisitedProvider.token(provider, broken.0)
        let browser = provider == .apple ? try VisitedProvider.apple(answer) : try VisitedProvider.google(answer)
        let refusal = try await browser.refusal(nonce: broken.1)
        #expect(refusal.code == .invalidToken)
        #expect(refusal.status == 401)
        #expect(browser.log.lines.isEmpty)
    }

    @Test func tokenOfOtherProviderIsRefused() async throws {
        #expect(try await VisitedProvider.apple(VisitedProvider.token(.google)).refusal().code == .invalidToken)
        #expect(try await VisitedProvider.google(VisitedProvider.token(.apple)).refusal().code == .invalidToken)
    }

    @Test func expiredTokenHasItsOwnCode() async throws {
        #expect(
            try await VisitedProvider.apple(VisitedProvider.token(.apple, ["exp": 1_799_999_000])).refusal().code
                == .tokenExpired
        )
    }

    @Test func missingKeysAreUnavailable() async throws {
        let keyless = KeylessTokens(problem: .keysUnavailable)
        for browser in [
            try VisitedProvider.apple(VisitedProvider.token(.apple), tokens: keyless),
            try VisitedProvider.google(VisitedProvider.token(.google), tokens: keyless),
        ] {
            #expect(try await browser.refusal().status == 503)
        }
    }

    // MARK: Token endpoint

    @Test(arguments: [400, 401])
    func refusedCodeAsksToStartAgain(status: Int) async throws {
        for browser in try VisitedProvider.both(.json(["error": "invalid_grant"], status: status)) {
            let vendor = browser.provider.provider.vendor
            #expect(
                try await browser.refusal()
                    == .invalidToken("the sign-in at \(vendor) was not completed: start again")
            )
            #expect(browser.log.lines.isEmpty)
        }
    }

    @Test(arguments: ["", "a b", "a\r\nb", "ä", String(repeating: "a", count: 4097)])
    func malformedCodeIsRefusedWithoutRequest(code: String) async throws {
        for browser in try VisitedProvider.both(.text("")) {
            #expect(try await browser.refusal(code: code).code == .invalidToken)
            #expect(browser.requests.requests.isEmpty)
        }
    }

    @Test(
        arguments: [
            (.json(["error": "invalid_client"], status: 400), "invalid_client"),
            (.json(["error": "invalid_client", "error_description": "secret-b"], status: 401), "invalid_client"),
            (.json(["error": "unauthorized_client"], status: 400), "unauthorized_client"),
            (.json(["error": "redirect_uri_mismatch"], status: 400), "redirect_uri_mismatch"),
            (.json(["error": "secret-b\nforged line"], status: 400), "another error"),
            (.text("secret-b", status: 404), "another error"), (.json(["error": 1], status: 400), "another error"),
        ] as [(ScriptedRequests.Outcome, String)]
    )
    func refusedClientIsLoggedForOperator(answer: ScriptedRequests.Outcome, word: String) async throws {
        for browser in try VisitedProvider.both(answer) {
            let provider = browser.provider.provider
            let refusal = try await browser.refusal()
            #expect(refusal.status == 503)
            #expect(refusal.retryAfterSeconds == 2)
            #expect(refusal.detail == "signing in with \(provider.vendor) is not possible at the moment")
            #expect(
                browser.log.lines == [
                    "error \(provider.vendor) refuses the gateway as a client: check client ID, secret or key, and "
                        + "redirect URI error=\(word) provider=\(provider.rawValue)"
                ]
            )
        }
    }

    @Test(
        arguments: [
            .failure(.unreachable), .failure(.garbled), .failure(.timeout), .text("", status: 500),
            .text("", status: 429),
            .text("", status: 302), .text("nonsense"), .text("{}"), .text("[]"), .json(["id_token": 1]),
        ] as [ScriptedRequests.Outcome]
    )
    func providerFailureIsUnavailable(answer: ScriptedRequests.Outcome) async throws {
        for browser in try VisitedProvider.both(answer) {
            let refusal = try await browser.refusal()
            #expect(refusal.status == 503)
            #expect(refusal.retryAfterSeconds == 2)
            let isTimeout = if case .failure(.timeout) = answer { true } else { false }
            #expect(refusal.code == (isTimeout ? .backendTimeout : .backendUnavailable))
            #expect(browser.log.lines.isEmpty)
        }
    }

    @Test func descriptionsShowNoSecrets() throws {
        for browser in try VisitedProvider.both(.text("")) {
            var dumped = ""
            dump(browser.provider, to: &dumped)
            #expect(dumped.contains("org.example.web"))
            #expect(!"\(browser.provider) \(dumped)".contains("cret"))
            #expect(!"\(browser.provider) \(dumped)".contains("PRIVATE KEY"))
        }
        let response = ProviderResponse(status: 200, body: Array("token-1".utf8))
        #expect("\(response) \(String(reflecting: response))" == "200, 7 bytes 200, 7 bytes")
    }
}
