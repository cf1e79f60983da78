import Demo
import Redis
import TestSupport
import Testing
import Verification

/// Two instances with one Redis are one issuer.
@Suite(.serialized) struct SignInFleetTests {
    private static let client = ClientSignIn.games

    @Test func sessionBegunAtOneInstanceContinuesAtAnother() async throws {
        try await Self.withTwo { scene, first, second, server in
            let session = try await scene.signIn(.anna, at: first)
            #expect(try await second.status(of: session.access) == 200)
            let renewed = try GivenTokens(try await second.renew(session.refresh))
            #expect(renewed.subject == session.subject)
            #expect(renewed.refresh != session.refresh)
            #expect(try await first.status(of: renewed.access) == 200)
            // A lost response is requested again at the other instance.
            #expect(try GivenTokens(try await first.renew(session.refresh)).refresh == renewed.refresh)
            #expect(try await scene.signIn(.anna, nonce: "again", at: second).subject == session.subject)

            let code = try await Browser(first.app()).code(Self.client, at: scene.standIn)
            let form = Self.client.tokenForm(code)
            let redeemed = try GivenTokens(try await second.app().post(Self.client.tokenPath, form: form))
            #expect(redeemed.subject == session.subject)
            let info = try await first.app().get("/id/userinfo", token: redeemed.access)
            #expect(info.json?["sub"]?.string == session.subject)
            let again = try await first.app().post(Self.client.tokenPath, form: form)
            #expect(again.json?["error"] == "invalid_grant", "a code works once, wherever")
            try await second.awaitRefusal(of: redeemed.access, host: SignInScene.host)

            let secrets = [session, renewed, redeemed].flatMap { [$0.access, $0.refresh] } + [code]
            try await Self.expectNone(of: secrets, in: server)
        }
    }

    /// The page at one instance, the provider's response at the other, as behind a load balancer.
    @Test func signInBegunAtOneInstanceEndsAtAnother() async throws {
        try await Self.withTwo { scene, first, second, _ in
            let before = Browser(first.app())
            let response = try await before.begin(Self.client, at: scene.standIn, by: .google, as: .annaAtGoogle)
            let after = Browser(second.app())
            for (name, value) in before.cookies { after.plant(name, value) }
            let location = try #require(try await after.bring(response).location)
            #expect(location.hasPrefix("games://signed-in?"), "\(location)")
            let code = try #require(Form.query(of: location)["code"])
            let form = Self.client.tokenForm(code)
            let session = try GivenTokens(try await first.app().post(Self.client.tokenPath, form: form))
            #expect(try await second.status(of: session.access) == 200)
        }
    }

    /// An app whose request is sent twice, to both instances.
    @Test func concurrentExchangesAtBothInstancesShareOneSession() async throws {
        try await Self.withTwo { scene, first, second, _ in
            for turn in 0..<10 {
                let user = ProviderUser(subject: "twice-\(turn)", email: "twice-\(turn)@example.com")
                let identity = try scene.identity(user, nonce: "twice-\(turn)")
                let responses = try await Self.atOnce([first, second, first, second]) { instance in
                    try await instance.app().post(SignInScene.path, json: identity)
                }
                let session = try GivenTokens(try #require(responses.first))
                for response in responses { #expect(try GivenTokens(response).json == session.json, "turn \(turn)") }
                let subject = try #require(session.subject)
                for instance in [first, second] {
                    #expect(try await instance.status(of: session.access) == 200)
                    #expect(try await instance.sessions(of: subject) == [session.session], "turn \(turn)")
                }
            }
        }
    }

    /// Two processes on one machine, without Redis.
    @Test func instancesSharingFileAreOneIssuer() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = "embedded:\(scratch.path)/gatehouse.db"
        try await withSignInFleet { scene in
            async let one = scene.fleet.startProcess(store).instance
            async let other = scene.fleet.startProcess(store).instance
            let (first, second) = (try await one, try await other)
            #expect(try await first.publishedKeyIDs() == second.publishedKeyIDs())
            for turn in 0..<5 {
                let identity = try scene.identity(.anna, nonce: "shared-\(turn)")
                let responses = try await Self.atOnce([first, second]) { instance in
                    try await instance.app().post(SignInScene.path, json: identity)
                }
                let session = try GivenTokens(try #require(responses.first))
                for response in responses { #expect(try GivenTokens(response).json == session.json, "turn \(turn)") }
                let renewed = try GivenTokens(try await second.renew(session.refresh))
                #expect(try await first.status(of: renewed.access) == 200)
            }
        }
    }

    @Test func refreshTokenUsedAtBothInstancesHasOneSuccessor() async throws {
        try await Self.withTwo { scene, first, second, _ in
            var session = try await scene.signIn(.anna, at: first)
            for turn in 0..<10 {
                let refresh = session.refresh
                let responses = try await Self.atOnce([first, second, first, second]) { try await $0.renew(refresh) }
                let renewed = try responses.map { try GivenTokens($0) }
                #expect(Set(renewed.map(\.refresh)).count == 1, "turn \(turn)")
                for one in renewed { #expect(try await second.status(of: one.access) == 200) }
                session = try #require(renewed.first)
            }
        }
    }

    /// A code sent twice at once may be stolen: one gets tokens, and the session is revoked.
    @Test func codeUsedAtBothInstancesYieldsNoSession() async throws {
        try await Self.withTwo { scene, first, second, _ in
            for turn in 0..<5 {
                let code = try await Browser(first.app()).code(Self.client, at: scene.standIn)
                let form = Self.client.tokenForm(code)
                let responses = try await Self.atOnce([first, second]) { instance in
                    try await instance.app().post(Self.client.tokenPath, form: form)
                }
                let good = responses.filter { $0.status == 200 }
                #expect(good.count <= 1, "turn \(turn)")
                for bad in responses where bad.status != 200 { #expect(bad.json?["error"] == "invalid_grant") }
                for response in good {
                    let session = try GivenTokens(response)
                    for instance in [first, second] {
                        try await instance.awaitRefusal(of: session.access, host: SignInScene.host)
                    }
                }
            }
        }
    }

    @Test func roleConflictIsDetectedAcrossInstances() async throws {
        try await Self.withTwo { scene, first, second, _ in
            let rider = first.app(SignInScene.riderHost)
            let identity = try scene.identity(.ben, nonce: "first")
            #expect(try await rider.post(SignInScene.path, json: identity).status == 200)
            let courier = second.app(SignInScene.courierHost)
            let other = try await courier.post(SignInScene.path, json: try scene.identity(.ben, nonce: "second"))
            #expect(other.status == 409)
            #expect(other.json == ["error": "This account is registered as a rider"])

            // Both at once, by a new person.
            for turn in 0..<10 {
                let user = ProviderUser(subject: "both-\(turn)", email: "both-\(turn)@example.com")
                let body = try scene.identity(user, nonce: "both-\(turn)")
                async let asRider = rider.post(SignInScene.path, json: body)
                async let asCourier = courier.post(SignInScene.path, json: body)
                let statuses = [try await asRider.status, try await asCourier.status]
                #expect(statuses.sorted() == [200, 409], "turn \(turn)")
            }
        }
    }

    @Test func sessionEndedAtOneInstanceIsRefusedByAnother() async throws {
        try await Self.withTwo { scene, first, second, _ in
            let ended = try await scene.signIn(.anna, nonce: "ended", at: second)
            let kept = try await scene.signIn(.anna, nonce: "kept", at: first)
            #expect(try await second.status(of: ended.access) == 200)
            let subject = try #require(ended.subject)
            #expect(Set(try await first.sessions(of: subject)) == Set([ended, kept].compactMap(\.session)))
            let response = try await first.adminClient.request(
                "DELETE",
                "/api/sessions",
                fields: ["Content-Type: application/json"],
                body: JSONWriter.text(of: ["tenant": "games", "session": .string(try #require(ended.session))])
            )
            #expect(response.status == 200, "\(response.body.text)")
            // The instance with the request refuses at once.
            #expect(try await first.refuses(ended.access, host: SignInScene.host))
            try await second.awaitRefusal(of: ended.access, host: SignInScene.host)
            for instance in [first, second] {
                expectRefusal(try await instance.renew(ended.refresh), 401, "invalid_token")
                #expect(try await instance.status(of: kept.access) == 200)
                #expect(try await instance.sessions(of: subject) == [kept.session])
            }
        }
    }
}

// MARK: - Support

extension SignInFleetTests {
    private static func withTwo(
        _ test: (SignInScene, _ first: Instance, _ second: Instance, RedisServer) async throws -> Void
    ) async throws {
        try await RedisServer.run { server in
            try await withSignInFleet { scene in
                let first = try await scene.fleet.startProcess(server.url)
                let second = try await scene.fleet.startProcess(server.url)
                try await test(scene, first.instance, second.instance, server)
            }
        }
    }

    private static func atOnce(
        _ instances: [Instance],
        _ ask: @escaping @Sendable (Instance) async throws -> RawResponse
    ) async throws -> [RawResponse] {
        try await withThrowingTaskGroup(of: RawResponse.self) { group in
            for instance in instances { group.addTask { try await ask(instance) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Expects Redis to contain none of the secrets.
    private static func expectNone(of secrets: [String], in server: RedisServer) async throws {
        let everything = try await RedisReader.everything(in: server)
        #expect(!everything.isEmpty, "an empty store proves nothing")
        // The signature of a token.
        let parts = secrets.compactMap { $0.split(separator: ".").last.map(String.init) }
        for (name, values) in everything {
            #expect(name.hasPrefix("gatehouse:"))
            for text in [name] + values {
                #expect(!parts.contains(where: text.contains), "\(name) holds a token or a code")
                #expect(!text.contains("BEGIN") && !text.contains("\"d\""), "\(name) holds a private key")
            }
        }
    }
}
