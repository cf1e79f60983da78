import Demo
import Foundation
import Testing
import Time
import Verification

/// Apple's server-to-server events: revoked consent or a deleted account signs out everywhere.
@Suite struct NotificationTests {
    private static let path = "/api/auth/apple/events"

    private func signIn(_ fixture: GatewayFixture, _ standIn: ProviderStandIn) async throws -> GivenTokens {
        let identity = try standIn.appleToken(.anna, for: "com.example.chat")
        return try GivenTokens(
            try await fixture.app(.chat).post("/api/auth/mobile/apple", json: ["identity_token": .string(identity)]),
            fixture
        )
    }

    private func event(
        _ standIn: ProviderStandIn,
        _ type: String = "consent-revoked",
        at seconds: Double = 5,
        audience: String = "com.example.chat",
        isForged: Bool = false,
        changing: (inout JSONObject) -> Void = { _ in }
    ) throws -> JSONObject {
        let payload = try standIn.appleEvent(
            type: type,
            subject: ProviderUser.anna.subject,
            at: UnixTime(Date().timeIntervalSince1970) + seconds,
            audience: audience,
            isForged: isForged,
            changing: changing
        )
        return ["payload": .string(payload)]
    }

    @Test(arguments: ["consent-revoked", "account-delete"])
    func eventEndsEverySessionOfAccount(_ type: String) async throws {
        try await withApps(.chat) { fixture, standIn async throws in
            let app = fixture.app(.chat)
            let sessions = [try await signIn(fixture, standIn), try await signIn(fixture, standIn)]
            let browser = Browser(app)
            _ = try await browser.webSignIn(.chat, at: standIn, as: .annaAtGoogle)
            #expect(try await app.post(Self.path, json: try event(standIn, type)).status == 200)
            for tokens in sessions {
                expectRefusal(try await app.get("/api/messages", token: tokens.access), 401, "token_revoked")
                let body: JSONObject = ["refresh_token": .string(tokens.refresh)]
                expectRefusal(try await app.post("/api/auth/refresh", json: body), 401, "invalid_token")
            }
            expectRefusal(try await browser.get("/api/messages"), 401, "token_revoked")
            // Apple sends it until it is acknowledged.
            #expect(try await app.post(Self.path, json: try event(standIn, type)).status == 200)
            #expect(fixture.backend.requests.isEmpty, "the app's tokens are the gateway's own")
        }
    }

    @Test func invalidEventsEndNoSession() async throws {
        try await withApps(.chat) { fixture, standIn async throws in
            let app = fixture.app(.chat)
            let tokens = try await signIn(fixture, standIn)
            let bad: [(what: String, body: JSONObject)] = [
                ("forged", try event(standIn, isForged: true)),
                ("another app's", try event(standIn, audience: "com.example.games")),
                ("stale", try event(standIn, at: -86_400 - 60)),
                ("another issuer's", try event(standIn) { $0["iss"] = "https://appleid.apple.com" }),
                ("without a name", try event(standIn) { $0["jti"] = JSONValue?.none }),
                ("without a time", try event(standIn) { $0["iat"] = JSONValue?.none }),
                ("of the future", try event(standIn, at: 600)),
                ("an identity token", ["payload": .string(try standIn.appleToken(.anna, for: "com.example.chat"))]),
                ("nothing", ["payload": ""]),
                ("empty", [:]),
            ]
            for (what, body) in bad {
                let response = try await app.post(Self.path, json: body)
                #expect([400, 401].contains(response.status), "\(what): \(response.status)")
                #expect(try await app.get("/api/messages", token: tokens.access).status == 200, "\(what)")
            }
            let unsigned = #"{"payload":"eyJhbGciOiJub25lIn0.e30."}"#
            let response = try await app.request("POST", Self.path, body: unsigned)
            expectRefusal(response, 401, "invalid_token")
            // Other events, and those from before the session.
            for body in [try event(standIn, "email-disabled"), try event(standIn, at: -3600)] {
                #expect(try await app.post(Self.path, json: body).status == 200)
                #expect(try await app.get("/api/messages", token: tokens.access).status == 200)
            }
        }
    }

    /// The event is forwarded to an app with sessions of its own, with verified fields.
    @Test func eventIsForwardedToBackendWithSessions() async throws {
        try await withApps(.customer) { fixture, standIn async throws in
            let app = fixture.app(.customer)
            let body = try event(standIn, audience: "com.goumuve.app")
            let spoofed = ["X-Verified-Subject: somebody-else", "x_verified_subject: somebody-else"]
            #expect(try await app.post(Self.path, json: body, fields: spoofed).status == 200)
            let seen = try #require(fixture.backend.requests.last)
            #expect(seen.target == Self.path)
            #expect(seen.body.text == JSONWriter.text(of: .object(body)))
            #expect(seen.fields["X-Verified-Subject"] == [ProviderUser.anna.subject])
            #expect(seen.fields["x_verified_subject"] == [])
            let forged = try event(standIn, audience: "com.goumuve.app", isForged: true)
            expectRefusal(try await app.post(Self.path, json: forged), 401, "invalid_token")
            #expect(fixture.backend.requests.count == 1)
        }
    }
}
