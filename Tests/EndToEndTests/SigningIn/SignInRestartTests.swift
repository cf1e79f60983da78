import Demo
import TestSupport
import Testing
import Verification

/// Acknowledged state survives a restart: sessions, codes, keys, sign-ins under way and revocations.
@Suite struct SignInRestartTests {
    private static let app = ClientSignIn.games

    @Test func signInStateSurvivesRestart() async throws {
        try await Self.withStore { open, standIn in
            var before: Before?
            try await open { before = try await Before.make($0, standIn) }
            let made = try #require(before)
            try await open { try await made.expect($0, standIn) }
        }
    }

    @Test func secondGatewayOnStoreContinuesSignIns() async throws {
        try await Self.withStore { open, standIn in
            try await open { first in
                let made = try await Before.make(first, standIn)
                try await open { second in
                    try await made.expect(second, standIn)
                    let used = try await first.post(Self.app.tokenPath, form: Self.app.tokenForm(made.code))
                    #expect(used.json?["error"] == "invalid_grant", "a code works once, wherever")
                }
            }
        }
    }

    /// Runs gateways one after another on the same store.
    private typealias Open = (_ test: (AppClient) async throws -> Void) async throws -> Void

    private static func withStore(_ test: (_ open: @escaping Open, _ standIn: ProviderStandIn) async throws -> Void)
        async throws
    {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let setup = AppSetup.fixture([.games], gateway: "store: \"embedded:\(scratch.path)/gatehouse.db\"")
        try await withStandIn(setup) { standIn, values in
            let backend = try await RecordingBackend.start(.ok)
            var values = values.merging(["backend": "http://127.0.0.1:\(backend.port)"]) { $1 }
            values["jwks"] = try scratch.write(try TestIssuer.shared().jwks, to: "jwks.json")
            try await attempt {
                try await test({ try await setup.withGames(values, $0) }, standIn)
            } finally: {
                await backend.stop()
            }
        }
    }

    /// State from the first gateway.
    private struct Before {
        var kept: JSONObject
        var identity: JSONObject
        var ended: JSONObject
        var code: String
        var spentForm: String
        var keyIDs: [String]
        var browser: [String: String]
        var response: ProviderRedirect
        var cookies: [String: String]

        static func make(_ app: AppClient, _ standIn: ProviderStandIn) async throws -> Before {
            let identity: JSONObject = [
                "identity_token": .string(try standIn.appleToken(.anna, for: "com.example.games", nonce: "n")),
                "nonce": "n",
            ]
            let kept = try #require(try await app.post("/auth/apple", json: identity).json)
            let other: JSONObject = [
                "identity_token": .string(try standIn.appleToken(.anna, for: "com.example.games", nonce: "m")),
                "nonce": "m",
            ]
            let ended = try #require(try await app.post("/auth/apple", json: other).json)
            #expect(try await app.post("/auth/logout", json: [:], token: ended["access_token"]?.string).status == 200)
            let spent = try await Browser(app).code(SignInRestartTests.app, at: standIn)
            let form = SignInRestartTests.app.tokenForm(spent)
            #expect(try await app.post(SignInRestartTests.app.tokenPath, form: form).status == 200)
            let web = Browser(app)
            _ = try await web.webSignIn(.games, at: standIn)
            let underWay = Browser(app)
            let response = try await underWay.begin(SignInRestartTests.app, at: standIn, by: .google, as: .annaAtGoogle)
            return Before(
                kept: kept,
                identity: identity,
                ended: ended,
                code: try await Browser(app).code(SignInRestartTests.app, at: standIn),
                spentForm: form,
                keyIDs: try await keyIDs(app),
                browser: web.cookies,
                response: response,
                cookies: underWay.cookies
            )
        }

        static func keyIDs(_ app: AppClient) async throws -> [String] {
            let keys = try #require(try await app.get("/id/oauth2/jwks.json").json?["keys"]?.array)
            return keys.compactMap { $0.object?["kid"]?.string }
        }

        func expect(_ app: AppClient, _ standIn: ProviderStandIn) async throws {
            #expect(try await Self.keyIDs(app) == keyIDs)
            let access = try #require(kept["access_token"]?.string)
            #expect(try await app.get("/scores", token: access).status == 200)
            let repeated = try await app.post("/auth/apple", json: identity)
            #expect(repeated.json == kept, "a retry gets the answer of before")
            let refresh: JSONObject = ["refresh_token": kept["refresh_token"] ?? .null]
            let renewed = try #require(try await app.post("/auth/refresh", json: refresh).json)
            #expect(try await app.get("/scores", token: renewed["access_token"]?.string).status == 200)
            #expect(renewed["user"]?.object?["id"] == kept["user"]?.object?["id"])

            let gone = try await app.get("/scores", token: ended["access_token"]?.string)
            expectRefusal(gone, 401, "token_revoked")
            let dead: JSONObject = ["refresh_token": ended["refresh_token"] ?? .null]
            expectRefusal(try await app.post("/auth/refresh", json: dead), 401, "invalid_token")

            let client = SignInRestartTests.app
            #expect(try await app.post(client.tokenPath, form: client.tokenForm(code)).status == 200)
            let again = try await app.post(client.tokenPath, form: spentForm)
            #expect(again.json?["error"] == "invalid_grant", "a code works once, restart or not")

            let web = Browser(app)
            for (name, value) in browser { web.plant(name, value) }
            #expect(try await web.get("/scores").status == 200)
            let underWay = Browser(app)
            for (name, value) in cookies { underWay.plant(name, value) }
            let back = try await underWay.bring(response)
            #expect(back.location?.hasPrefix("games://signed-in?code=") == true, "\(back.status)")
        }
    }
}
