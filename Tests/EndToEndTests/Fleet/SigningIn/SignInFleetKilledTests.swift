import Demo
import TestSupport
import Testing
import Verification

/// `kill -9` of an instance right after an acknowledgement, on Redis and on a file.
@Suite(.serialized) struct SignInFleetKilledTests {
    @Test func sessionsOfKilledInstanceContinue() async throws {
        try await RedisServer.run { server in
            try await withSignInFleet { scene in
                // Started concurrently on an empty store, they must agree on the first keys.
                let store = server.url
                async let one = scene.fleet.startProcess(store)
                async let other = scene.fleet.startProcess(store)
                let (first, second) = (try await one, try await other)
                let keyIDs = try await first.instance.publishedKeyIDs()
                #expect(try await second.instance.publishedKeyIDs() == keyIDs)
                let client = ClientSignIn.games
                let code = try await Browser(first.instance.app()).code(client, at: scene.standIn)
                let session = try await scene.signIn(.anna, at: first.instance)
                // Right after the acknowledgement.
                try await first.kill()

                #expect(keyIDs.contains(try #require(session.keyID)))
                #expect(try await second.instance.status(of: session.access) == 200)
                let renewed = try GivenTokens(try await second.instance.renew(session.refresh))
                let form = client.tokenForm(code)
                let redeemed = try GivenTokens(try await second.instance.app().post(client.tokenPath, form: form))
                #expect(redeemed.subject == session.subject)

                try await first.start()
                for instance in [first.instance, second.instance] {
                    #expect(try await instance.publishedKeyIDs() == keyIDs)
                    for access in [session.access, renewed.access, redeemed.access] {
                        #expect(try await instance.status(of: access) == 200)
                    }
                    let sessions = try await instance.sessions(of: try #require(session.subject))
                    #expect(Set(sessions) == Set([session, redeemed].compactMap(\.session)))
                }
                let later = try GivenTokens(try await first.instance.renew(renewed.refresh))
                #expect(later.keyID == session.keyID)
                let repeated = try await scene.signIn(.anna, nonce: "later", at: first.instance)
                #expect(repeated.subject == session.subject)
            }
        }
    }

    /// Each time at an arbitrary point: a page, a provider's response, a code or a token.
    @Test func tenKillsLoseNoAcknowledgedSignIn() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        try await withSignInFleet { scene in
            let process = try await scene.fleet.startProcess("embedded:\(scratch.path)/gatehouse.db")
            let keyIDs = try await process.instance.publishedKeyIDs()
            var everything: [GivenTokens] = []
            for round in 0..<10 {
                let person = SignInLog(scene, process.instance, name: "round-\(round)")
                async let log = person.signInUntilTheEnd()
                for _ in 0..<(5 + round) { try await person.acknowledged.next() }
                try await process.kill()
                let acknowledged = await log
                #expect(acknowledged.count >= 5 + round)
                try await process.start()
                #expect(try await process.instance.publishedKeyIDs() == keyIDs)
                everything += try await acknowledged.expectAll(at: process.instance)
            }
            for session in everything { #expect(try await process.instance.status(of: session.access) == 200) }
            #expect(everything.count >= 20)
        }
    }

    @Test(arguments: ["AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", nil])
    func instanceWithAnotherSealingKeyDoesNotStart(_ key: String?) async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        try await RedisServer.run { server in
            try await withSignInFleet { scene in
                let first = try await scene.fleet.startProcess(server.url)
                let session = try await scene.signIn(.anna, at: first.instance)
                let file = try scratch.write(scene.text(store: server.url), to: "tenants.yaml")
                var environment = ["TEST_SECRET": TestIssuer.secret]
                environment["GATEHOUSE_KEY"] = key
                let third = try ServerProcess(
                    try GatehouseProgram.path(),
                    ["run", "--config", file],
                    environment: environment
                )
                do {
                    #expect(try await third.end() != 0)
                    try await third.line(with: "GATEHOUSE_KEY")
                } catch {
                    try await third.kill()
                    throw error
                }
                // The other instance is not affected.
                let renewed = try GivenTokens(try await first.instance.renew(session.refresh))
                #expect(renewed.keyID == session.keyID)
            }
        }
    }
}
