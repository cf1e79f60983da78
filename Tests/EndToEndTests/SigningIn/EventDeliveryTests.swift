import Demo
import Foundation
import Tenants
import TestSupport
import Testing
import Verification

/// What others are told of sessions, with each store that lasts, the receiver that docs/events.md shows, and a client.
@Suite struct EventDeliveryTests {
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    /// The receivers that docs/events.md shows, by the names of their languages there.
    enum Receiver: String, CaseIterable, Sendable {
        case python
        case js
        case go

        var file: String {
            switch self {
            case .python: "receiver.py"
            case .js: "receiver.mjs"
            case .go: "receiver.go"
            }
        }

        /// What runs the file, built before if its language asks for that.
        func command(_ file: String, in scratch: Scratch) async throws -> (program: String, arguments: [String]) {
            switch self {
            case .python: return ("/usr/bin/python3", ["-u", file])
            case .js: return ("/usr/bin/node", [file])
            case .go:
                let program = "\(scratch.path)/receiver"
                let compiler = try ServerProcess(
                    "/usr/bin/go",
                    ["build", "-o", program, file],
                    environment: ["GOCACHE": "\(scratch.path)/cache"]
                )
                #expect(try await compiler.end() == 0)
                return (program, [])
            }
        }
    }

    @Test(arguments: Receiver.allCases)
    func webhookAndClientAreToldInOrder(_ kind: Receiver) async throws {
        try await RedisServer.run { redis in try await Self.deliver("redis://127.0.0.1:\(redis.port)", to: kind) }
    }

    @Test(arguments: Receiver.allCases)
    func webhookAndClientAreToldInOrderFromTheEmbeddedStore(_ kind: Receiver) async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        try await Self.deliver("embedded:\(scratch.path)/gatehouse.db", to: kind)
    }

    private static func deliver(_ store: String, to kind: Receiver) async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let port = try await FreePort.find()
        let file = try scratch.write(try documented(kind), to: kind.file)
        let (program, arguments) = try await kind.command(file, in: scratch)
        let environment = ["PORT": "\(port)", "WEBHOOK_SECRET": secret]
        let receiver = try ServerProcess(program, arguments, environment: environment)
        let client = try await RecordingBackend.start(.ok)
        try await attempt {
            try await receiver.line(with: "listening")
            let setup = setup(store, receiver: port, client: client.port)
            try await withStandIn(setup) { standIn, values in
                var values = values.merging(["backend": "http://127.0.0.1:\(client.port)"]) { $1 }
                values["jwks"] = try scratch.write(try TestIssuer.shared().jwks, to: "jwks.json")
                try await setup.withGames(values) { app in
                    try await useSession(app, standIn, receiver, client)
                    try await deleteAccount(app, standIn, receiver)
                }
            }
            // What nobody with the secret has signed.
            let status = try await postUnsigned(to: port)
            #expect(status == 400)
        } finally: {
            try? await receiver.kill()
            await client.stop()
        }
    }

    /// Signs in, refreshes, and uses the code again, which ends the session.
    private static func useSession(
        _ app: AppClient,
        _ standIn: ProviderStandIn,
        _ receiver: ServerProcess,
        _ client: RecordingBackend
    ) async throws {
        let signIn = ClientSignIn.games
        let form = signIn.tokenForm(try await Browser(app).code(signIn, at: standIn))
        let tokens = try #require(try await app.post(signIn.tokenPath, form: form).json)
        let claims = try #require(tokens["access_token"]?.string.flatMap(GivenTokens.claims))
        let (subject, session) = (try #require(claims["sub"]?.string), try #require(claims["sid"]?.string))
        let refresh = try #require(tokens["refresh_token"]?.string)
        #expect(try await app.post(signIn.tokenPath, form: signIn.refreshForm(refresh)).status == 200)
        #expect(try await app.post(signIn.tokenPath, form: form).status == 400)
        for type in ["signed_in", "refreshed", "revoked"] {
            try await receiver.line(with: "event \(type) \(subject) \(session)")
        }
        let request = try await client.arrivals.next()
        #expect(request.target == "/backchannel-logout")
        let body = request.body.text
        let prefix = "logout_token="
        #expect(body.hasPrefix(prefix))
        try await verify(String(body.dropFirst(prefix.count)), app, subject: subject, session: session)
    }

    /// The type, the key, which the issuer has published, and the claims.
    private static func verify(_ token: String, _ app: AppClient, subject: String, session: String) async throws {
        let parts = token.split(separator: ".").map(String.init)
        let header = try #require(Base64URL.decode(parts[0]).flatMap { try? JSONParser.parse($0).object })
        #expect(header["typ"] == "logout+jwt")
        let published = try #require(try await app.get("/id/oauth2/jwks.json").json?["keys"]?.array)
        #expect(published.contains { $0.object?["kid"] == header["kid"] })
        let claims = try #require(GivenTokens.claims(token))
        #expect(claims["iss"] == "https://games.localtest")
        #expect(claims["aud"] == .string(ClientSignIn.games.clientID))
        #expect(claims["sub"] == .string(subject))
        #expect(claims["sid"] == .string(session))
        #expect(claims["nonce"] == nil)
        #expect(claims["events"] == ["http://schemas.openid.net/event/backchannel-logout": [:]])
    }

    private static func deleteAccount(
        _ app: AppClient,
        _ standIn: ProviderStandIn,
        _ receiver: ServerProcess
    ) async throws {
        let deleting = DeletingApp(app: app, standIn: standIn)
        let (subject, access) = try await deleting.signIn(.anna, nonce: "a-nonce")
        try await receiver.line(with: "event signed_in \(subject)")
        _ = try await deleting.delete(access)
        try await receiver.line(with: "event deleted \(subject)")
    }

    private static func postUnsigned(to port: Int) async throws -> Int {
        let fields = [
            "webhook-id: evt_1", "webhook-timestamp: \(Int(Date().timeIntervalSince1970))",
            "webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        ]
        let text = AppClient.text("POST", "/", host: "127.0.0.1", fields: fields, body: "{}")
        return try await RawClient.exchange(text, method: "POST", at: HostPort(host: "127.0.0.1", port: port)).status
    }

    private static func documented(_ kind: Receiver) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/events.md"), encoding: .utf8)
        let start = try #require(page.range(of: "```\(kind.rawValue)\n")).upperBound
        let end = try #require(page.range(of: "```", range: start..<page.endIndex)).lowerBound
        return String(page[start..<end])
    }

    private static func setup(_ store: String, receiver: Int, client: Int) -> GatewaySetup {
        let events = "events: { url: \"http://127.0.0.1:\(receiver)/\", secret: \"\(secret)\" }"
        var setup = AppSetup.fixture([.games], gateway: "store: \"\(store)\"\n\(events)")
            .deletingAccounts()
        setup.others = setup.others.replacing(
            "- id: games-app\n",
            with: "- id: games-app\n        backchannel_logout_uri: \"http://127.0.0.1:\(client)/backchannel-logout\"\n"
        )
        return setup
    }
}
