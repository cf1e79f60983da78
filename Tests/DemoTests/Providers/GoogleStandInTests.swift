import HTTPTypes
import HummingbirdTesting
import Synchronization
import Testing
import Time
import Verification

@testable import Demo

struct GoogleStandInTests {
    @Test func codeIsExchangedForTokensOfUser() async throws {
        try await StandInUnderTest.run { stand in
            let response = try await stand.post("/google/token", try stand.googleGrant())
            #expect(response.status == 200)
            let keys = try await stand.get("/google/certs")
            let policy = VerificationPolicy(
                issuers: [
                    IssuerPolicy(
                        issuer: stand.standIn.googleIssuer,
                        audiences: ["chat-web"],
                        algorithms: [.rs256],
                        keys: try KeySet(jwks: Array(keys.body.readableBytesView))
                    )
                ]
            )
            let token = try #require(response.json["id_token"]?.string)
            let principal = try TokenVerifier(policy).verify(Array(token.utf8), at: noon)
            #expect(principal.claims["nonce"] == "the-nonce")
            #expect(principal.claims["email_verified"] == true)
            let access = try #require(response.json["access_token"]?.string)
            let info = try await stand.get("/google/userinfo", [.authorization: "Bearer \(access)"])
            let user = try JSONParser.parse(Array(info.body.readableBytesView)).object
            #expect(user?["sub"] == principal.subject.map(JSONValue.string))
        }
    }

    @Test func browserIsRedirectedWithStateAndIssuer() async throws {
        try await StandInUnderTest.run { stand in
            let response = try stand.standIn.redirect(for: stand.googleURL())
            #expect(!response.isPost)
            #expect(response["state"] == "the-state")
            #expect(response["iss"] == stand.standIn.googleIssuer)
            stand.standIn.setSkipsConsent(true)
            let path = String(stand.googleURL().dropFirst(stand.standIn.url.count))
            let redirect = try await stand.get(path)
            #expect(redirect.status == .found)
            #expect(
                redirect.headers[.location]?.hasPrefix("\(StandInUnderTest.googleRedirect)?state=the-state&") == true
            )
            let cancelled = try stand.standIn.redirect(for: stand.googleURL(), cancelling: true)
            #expect(cancelled["error"] == "access_denied")
            #expect(cancelled["code"] == nil)
        }
    }

    @Test(arguments: [
        ["client_id": "other"], ["response_type": "id_token"], ["code_challenge_method": "plain"],
        ["code_challenge": ""], ["code_challenge": "short"], ["scope": "email"], ["scope": "openid drive"],
        ["redirect_uri": "http://chat.localtest:8080/elsewhere"],
        ["redirect_uri": "http://chat.localtest:x/api/auth/callback"], ["response_mode": "form_post"],
    ])
    func invalidGoogleAuthorizationShowsError(_ changes: [String: String]) async throws {
        try await StandInUnderTest.run { stand in
            let path = String(stand.googleURL(changes).dropFirst(stand.standIn.url.count))
            let response = try await stand.get(path)
            #expect((400...401).contains(response.status.code))
            #expect(!String(buffer: response.body).contains("<form"))
        }
    }

    @Test(arguments: [
        ("http://localhost:8000/auth/callback", true), ("http://127.0.0.1/back", true),
        ("https://a.localhost:1/", true),
        ("http://localhost", false), ("http://localhost:8000/back?x=1", false),
        ("http://localhost.evil.example/", false),
        ("http://localhost@evil.example/", false), ("http://evil.example/", false),
    ])
    func localClientRedirectsToThisMachineOnly(_ uri: String, _ isTaken: Bool) async throws {
        try await StandInUnderTest.run { stand in
            let changes = ["client_id": "local.apps.example", "redirect_uri": uri]
            let path = String(stand.googleURL(changes).dropFirst(stand.standIn.url.count))
            let status = try await stand.get(path).status.code
            #expect(status == (isTaken ? 200 : 400))
        }
    }

    @Test(arguments: [
        (["client_secret": "guess"], 401, "invalid_client"), (["client_secret": ""], 401, "invalid_client"),
        (["client_id": "other"], 401, "invalid_client"), (["code_verifier": ""], 400, "invalid_request"),
        (["code_verifier": String(repeating: "w", count: 43)], 400, "invalid_grant"),
        (["redirect_uri": "http://chat.localtest/api/auth/callback"], 400, "invalid_grant"),
        (["code": "made-up"], 400, "invalid_grant"), (["grant_type": "refresh_token"], 400, "unsupported_grant_type"),
    ])
    func invalidGoogleExchangeIsRefused(
        _ changes: [String: String],
        _ status: Int,
        _ error: String
    ) async throws {
        try await StandInUnderTest.run { stand in
            let response = try await stand.post("/google/token", try stand.googleGrant(changes))
            #expect(response.status == status)
            #expect(response.json["error"] == .string(error))
        }
    }

    @Test func codeWorksOnceAndForItsClientOnly() async throws {
        try await StandInUnderTest.run { stand in
            let grant = try stand.googleGrant()
            #expect(try await stand.post("/google/token", grant).status == 200)
            #expect(try await stand.post("/google/token", grant).json["error"] == "invalid_grant")
            let other = try stand.googleGrant(["code": try #require(try stand.appleGrant()["code"])])
            #expect(try await stand.post("/google/token", other).json["error"] == "invalid_grant")
        }
    }

    @Test func accessTokenIsKnownToUserinfoAndTokeninfo() async throws {
        let clock = Mutex(noon)
        try await StandInUnderTest.run(now: { clock.withLock { $0 } }) { stand in
            let token = stand.standIn.googleAccessToken(
                subject: "s",
                email: "a@example.com",
                emailVerified: false,
                audience: "chat-ios",
                expiresIn: 100
            )
            let info = try await stand.get("/google/tokeninfo?access_token=\(token)")
            let object = try JSONParser.parse(Array(info.body.readableBytesView)).object
            #expect(object?["aud"] == "chat-ios")
            #expect(object?["expires_in"] == "100")
            #expect(object?["email_verified"] == "false")
            #expect(try await stand.get("/google/tokeninfo?access_token=made-up").status == .badRequest)
            #expect(try await stand.get("/google/userinfo").status == .unauthorized)
            clock.withLock { $0 = noon + 100 }
            #expect(try await stand.get("/google/tokeninfo?access_token=\(token)").status == .badRequest)
            let late = try await stand.get("/google/userinfo", [.authorization: "Bearer \(token)"])
            #expect(late.status == .unauthorized)
        }
    }
}
