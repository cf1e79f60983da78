import Crypto
import Foundation
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import TokenSigning

struct IDTokenTests {
    private let start = SessionFixture.start

    private static let opening = SessionOpening(
        subject: "alice",
        claims: [
            "email": "alice@example.org", "email_verified": true, "name": "Alice", "role": "member",
            "phone_number": "1",
        ],
        scopes: ["openid", "email"],
        clientID: "app",
        nonce: "n-0S6"
    )

    @Test(arguments: [IssuerRules.chat, .clans])
    func idTokenHasSubjectAndTimes(_ rules: IssuerRules) async throws {
        var rules = rules
        rules.idLifetime = .seconds(600)
        let service = try SessionFixture(rules)
        let tokens = try await service.sessions.start(Self.opening, at: start)
        let claims = try service.claims(tokens.idToken)
        #expect(claims["iss"]?.string == rules.url)
        #expect(claims["sub"] == "alice" && claims["aud"] == "app")
        #expect(claims["iat"] == 1_800_000_000 && claims["exp"] == 1_800_000_600)
        #expect(claims["auth_time"] == 1_800_000_000)
        #expect(claims["sid"]?.string == tokens.sessionID)
        #expect(claims["nonce"] == "n-0S6")
        #expect(claims["email"] == "alice@example.org" && claims["email_verified"] == true)
        for name in ["name", "role", "phone_number", "scope", "client_id", "jti"] { #expect(claims[name] == nil) }
        #expect(try service.header(tokens.idToken)["typ"] == "JWT")
        #expect(try service.header(tokens.idToken)["alg"]?.string == rules.algorithm.rawValue)
        #expect(try service.header(tokens.accessToken)["typ"] == "at+jwt")
    }

    /// Computed independently, with Foundation and Crypto.
    @Test func idTokenHasHashOfAccessToken() async throws {
        let service = try SessionFixture()
        let tokens = try await service.sessions.start(Self.opening, at: start)
        let next = try await service.sessions.refresh(tokens.refresh, client: .client("app"), at: start + 1)
        for tokens in [tokens, next] {
            let half = Crypto.SHA256.hash(data: Data(tokens.accessToken.utf8)).prefix(16)
            let expected = Data(half).base64EncodedString()
                .replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: "")
            #expect(try service.claims(tokens.idToken)["at_hash"]?.string == expected)
        }
    }

    @Test func refreshedIDTokenHasSameSignInWithoutNonce() async throws {
        let service = try SessionFixture()
        let tokens = try await service.sessions.start(Self.opening, at: start)
        let next = try await service.sessions.refresh(tokens.refresh, client: .client("app"), at: start + 500)
        let (first, second) = (try service.claims(tokens.idToken), try service.claims(next.idToken))
        for name in ["iss", "sub", "aud", "auth_time", "sid"] { #expect(first[name] == second[name]) }
        #expect(second["nonce"] == nil)
        #expect(second["iat"] == 1_800_000_500)
    }

    @Test func appWithoutClientGetsIssuerAudience() async throws {
        let service = try SessionFixture()
        let tokens = try await service.signIn()
        #expect(try service.claims(tokens.idToken)["aud"] == "chat-api")
        #expect(try service.claims(tokens.accessToken)["client_id"] == nil)
    }

    @Test func withoutOpenIDScopeNoIDTokenIsIssued() async throws {
        let service = try SessionFixture()
        var opening = Self.opening
        opening.scopes = ["email"]
        let tokens = try await service.sessions.start(opening, at: start)
        #expect(tokens.idToken == nil && tokens.response["id_token"] == nil)
        #expect(tokens.response["scope"] == "email")
        #expect(try service.claims(tokens.accessToken)["scope"] == "email")
        opening.scopes = []
        let bare = try await service.sessions.start(opening, at: start)
        #expect(bare.response["scope"] == nil)
        #expect(try service.claims(bare.accessToken)["scope"] == nil)
    }

    @Test func profileScopeGivesNameWithoutEmail() async throws {
        let service = try SessionFixture()
        var opening = Self.opening
        opening.scopes = ["openid", "profile"]
        let claims = try service.claims(try await service.sessions.start(opening, at: start).idToken)
        #expect(claims["name"] == "Alice" && claims["email"] == nil && claims["email_verified"] == nil)
    }
}
