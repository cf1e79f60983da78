import Logging
import TestSupport
import Testing
import Verification

@testable import IdentityProvider
@testable import Tenants

struct BrowserProvidersTests {
    private static let key = try? SigningKey.generate(.p256)

    private func tenant(_ signIn: SignIn?) throws -> Tenant {
        Tenant(
            TenantSettings(
                name: "chat",
                hosts: [],
                backends: [Backend(servers: [])],
                authenticate: Authentication(policy: VerificationPolicy(issuers: [])),
                signIn: signIn
            )
        )
    }

    private func apple(_ key: String?) throws -> AppleSignIn {
        try .example(
            web: AppleSignIn.Web(
                clientID: "org.example.page",
                teamID: "TEAM123456",
                keyID: "KEY1234567",
                privateKey: key.map { Secret($0) }
            )
        )
    }

    private func google() throws -> GoogleSignIn {
        var google = try GoogleSignIn.example(web: .init(clientID: "org.example.page", clientSecret: Secret("s")))
        google.authorizeURL = "https://google.example/authorize?hd=x"
        return google
    }

    private func web(_ provider: SignIn.Provider) throws -> WebSignIn {
        WebSignIn(
            login: try PathPattern("/login"),
            callback: try PathPattern("/callback"),
            provider: provider,
            clientID: "org.example.web",
            clientSecret: Secret("s"),
            after: "https://app.example/",
            accessCookie: "a",
            refreshCookie: "r"
        )
    }

    private func page(_ signIn: SignIn?, _ log: RecordedLog = RecordedLog()) throws -> [any BrowserProvider] {
        BrowserProviders.forPage(
            try tenant(signIn),
            metadata: ProviderMetadata(signIn, requests: ScriptedRequests(), logger: log.logger),
            tokens: try SignedByProviders(),
            requests: ScriptedRequests(),
            logger: log.logger
        )
    }

    private func web(_ signIn: SignIn?, _ log: RecordedLog = RecordedLog()) throws -> (any BrowserProvider)? {
        BrowserProviders.forWeb(
            try tenant(signIn),
            tokens: try SignedByProviders(),
            requests: ScriptedRequests(),
            logger: log.logger
        )
    }

    private func url(_ provider: (any BrowserProvider)?) async throws -> String? {
        try await provider?.authorizationURL(
            redirectURI: "r",
            state: "s",
            nonce: "n",
            codeChallenge: "c",
            signsInAnew: false,
            at: SignedByProviders.now
        )
    }

    @Test func pageHasAppleFirst() async throws {
        let pem = try #require(Self.key?.privateKeyPEM)
        let both = try page(SignIn(apple: apple(pem), google: google()))
        #expect(both.map(\.provider) == [.apple, .google])
        #expect(try await url(both.first)?.contains("&client_id=org.example.page&") == true)
        #expect(
            try await url(both.last)?.hasPrefix("https://google.example/authorize?hd=x&response_type=code&") == true
        )
        #expect(try await url(both.last)?.contains("&client_id=org.example.page&") == true)
    }

    @Test func pageHasOnlyProvidersWithClient() throws {
        #expect(try page(nil).isEmpty)
        #expect(try page(SignIn(apple: .example(), google: .example(), web: web(.google))).isEmpty)
    }

    @Test func missingKeyGivesNoProvider() throws {
        let log = RecordedLog()
        #expect(try page(SignIn(apple: apple(nil), google: google()), log).map(\.provider) == [.google])
        #expect(try web(SignIn(apple: apple(nil), web: web(.apple)), log) == nil)
        #expect(log.lines.isEmpty)
    }

    @Test func unusableKeyGivesNoProviderAndIsLogged() throws {
        let rsa = try #require(SignedByProviders.appleKey?.privateKeyPEM)
        for pem in [rsa, "nonsense", ""] {
            let log = RecordedLog()
            #expect(try page(SignIn(apple: apple(pem)), log).isEmpty)
            #expect(
                log.lines == [
                    "error the key of sign_in.apple.web is not a P-256 private key in PEM: sign-in with Apple in browsers is off"
                ]
            )
        }
    }

    @Test func cookieSignInHasItsOwnClient() async throws {
        let pem = try #require(Self.key?.privateKeyPEM)
        let apple = try web(SignIn(apple: apple(pem), web: web(.apple)))
        #expect(apple?.provider == .apple)
        #expect(try await url(apple)?.contains("&client_id=org.example.web&") == true)
        let google = try web(SignIn(google: google(), web: web(.google)))
        #expect(google?.provider == .google)
        #expect(try await url(google)?.hasPrefix("https://google.example/authorize?hd=x&") == true)
        #expect(try await url(google)?.contains("&client_id=org.example.web&") == true)
    }

    @Test func googleCookieSignInNeedsNoGoogleSection() async throws {
        let google = try web(SignIn(web: web(.google)))
        #expect(try await url(google)?.hasPrefix("https://accounts.google.com/o/oauth2/v2/auth?") == true)
    }

    @Test func noCookieSignInWithoutWebSection() throws {
        #expect(try web(nil) == nil)
        #expect(try web(SignIn(google: google())) == nil)
        #expect(try web(SignIn(web: web(.apple))) == nil)
    }
}
