import Demo
import TestSupport
import Testing
import Verification

/// Without Redis there are no new sign-ins, and existing sessions continue.
@Suite(.serialized) struct SignInFleetStoreTests {
    enum Trouble: CaseIterable, Sendable {
        case killed, hangs
    }

    @Test(arguments: Trouble.allCases)
    func redisOutageRefusesSignInsAndAcceptsTokens(_ trouble: Trouble) async throws {
        try await RedisServer.run(RedisServer.durable) { server in
            try await withSignInFleet { scene in
                let first = try await scene.fleet.startProcess(server.url).instance
                let second = try await scene.fleet.startProcess(server.url).instance
                let session = try await scene.signIn(.anna, at: first)
                let code = try await Browser(first.app()).code(ClientSignIn.games, at: scene.standIn)
                let form = ClientSignIn.games.tokenForm(code)
                let keyIDs = try await first.publishedKeyIDs()
                let identity = try scene.identity(.ben, nonce: "while-redis-is-away")

                switch trouble {
                case .killed: try await server.kill()
                case .hangs: server.process.pause()
                }
                // Concurrently, as each waits a moment for the store.
                async let exchanged = first.app().post(SignInScene.path, json: identity)
                async let refreshed = second.renew(session.refresh)
                async let redeemed = second.app().post(ClientSignIn.games.tokenPath, form: form)
                for response in [try await exchanged, try await refreshed] {
                    expectRefusal(response, 503, "store_unavailable")
                    #expect(response.fields["Retry-After"].first.flatMap { Int($0) } ?? 0 > 0)
                }
                // The issuer returns an OAuth error.
                #expect(try await redeemed.status == 503)
                #expect(try await redeemed.json?["error"] != nil)
                #expect(try await redeemed.fields["Retry-After"].count == 1)
                for instance in [first, second] {
                    #expect(try await instance.status(of: session.access) == 200)
                    #expect(try await instance.publishedKeyIDs() == keyIDs)
                }

                switch trouble {
                case .killed: try await server.restart()
                case .hangs: server.process.resume()
                }
                // The refused credentials are unused.
                let late = try await Self.whenItIsBack(first) {
                    try await first.app().post(SignInScene.path, json: identity)
                }
                #expect(try await second.status(of: try GivenTokens(late).access) == 200)
                let renewed = try await Self.whenItIsBack(second) { try await second.renew(session.refresh) }
                #expect(try GivenTokens(renewed).subject == session.subject)
                let token = try await Self.whenItIsBack(second) {
                    try await second.app().post(ClientSignIn.games.tokenPath, form: form)
                }
                #expect(try await first.status(of: try GivenTokens(token).access) == 200)
                #expect(try await first.publishedKeyIDs() == keyIDs)
                #expect(try await scene.signIn(.anna, nonce: "after", at: second).subject == session.subject)
            }
        }
    }

    /// Redis with Sentinel: a replica replaces the master.
    @Test func acknowledgedChangesOutliveMaster() async throws {
        try await SentinelSet.run(replicas: 2) { set in
            try await withSignInFleet { scene in
                let first = try await scene.fleet.startProcess(set.url).instance
                let second = try await scene.fleet.startProcess(set.url).instance
                let keyIDs = try await second.publishedKeyIDs()
                let people = (0..<10).map { ProviderUser(subject: "person-\($0)", email: "person-\($0)@example.com") }
                var sessions: [GivenTokens] = []
                for person in people { sessions.append(try await scene.signIn(person, at: first)) }
                let renewed = try GivenTokens(try await second.renew(sessions[0].refresh))
                let code = try await Browser(first.app()).code(ClientSignIn.games, at: scene.standIn)
                try await set.master.kill()
                #expect(try await second.status(of: sessions[0].access) == 200)

                let form = ClientSignIn.games.tokenForm(code)
                let token = try await Self.whenItIsBack(second) {
                    try await second.app().post(ClientSignIn.games.tokenPath, form: form)
                }
                #expect(try await first.status(of: try GivenTokens(token).access) == 200)
                sessions[0] = renewed
                for (person, session) in zip(people, sessions) {
                    let response = try await Self.whenItIsBack(first) { try await first.renew(session.refresh) }
                    #expect(try GivenTokens(response).session == session.session)
                    let again = try await scene.signIn(person, nonce: "after", at: second)
                    #expect(again.subject == session.subject)
                }
                #expect(try await first.publishedKeyIDs() == keyIDs)
            }
        }
    }

    /// The response once the instance's store takes changes again. Earlier retries would reach the rate limit, since
    /// without the store the gateway refuses at once.
    private static func whenItIsBack(
        _ instance: Instance,
        _ ask: () async throws -> RawResponse
    ) async throws -> RawResponse {
        try await until("the store is back") {
            try await instance.revoke(["session": "nobody's"]).status == 200
        }
        return try await ask()
    }
}
