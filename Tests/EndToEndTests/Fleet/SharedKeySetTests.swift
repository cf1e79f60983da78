import TestSupport
import Testing
import Verification

/// A provider's key set, fetched once for all instances.
@Suite(.serialized) struct SharedKeySetTests {
    private struct Scene {
        let fleet: Instances
        let server: RedisServer
        let provider: Provider
        let key: SigningKey

        /// A token signed with that key, under its own key ID.
        func token(_ key: SigningKey, _ subject: String = "alice") throws -> String {
            try fleet.token(["sub": .string(subject)], algorithm: .es256, key: key)
        }
    }

    /// A fleet that is not started yet, whose tenant takes its keys from the provider.
    private func withScene(_ test: (Scene) async throws -> Void) async throws {
        try await Provider.run { provider in
            let key = try SigningKey.generate(.p256)
            provider.publish([key])
            try await RedisServer.run { server in
                try await withInstances(GatewaySetup(tenant: Self.authenticate(provider))) { fleet in
                    try await test(Scene(fleet: fleet, server: server, provider: provider, key: key))
                }
            }
        }
    }

    private static func authenticate(_ provider: Provider) -> String {
        """
        authenticate:
          issuers:
            - { issuer: "\(TestIssuer.name)", audiences: [app], algorithms: [ES256], jwks_url: "\(provider.url)" }
        """
    }

    @Test func thousandRequestsAfterColdStartMakeOneFetch() async throws {
        try await withScene { scene in
            scene.provider.hold()
            let all = try await start(3, scene)
            for instance in all { try await Self.expectUnready(instance) }
            let token = try scene.token(scene.key)
            let connections = 12
            let asked = 84
            let responses = try await withThrowingTaskGroup { group in
                let requests = String(repeating: Self.request(token), count: asked)
                for turn in 0..<connections {
                    let client = RawClient(try await Wire.connect(to: all[turn % all.count].address))
                    try await client.send(requests)
                    group.addTask {
                        var statuses: [Int] = []
                        for _ in 0..<asked { statuses.append(try await client.response().status) }
                        await client.close()
                        return statuses
                    }
                }
                try await scene.provider.asked()
                scene.provider.release()
                var responses: [Int] = []
                for try await statuses in group { responses += statuses }
                return responses
            }
            #expect(responses == Array(repeating: 200, count: connections * asked))
            #expect(scene.provider.fetches == 1)
            for instance in all { #expect(try await instance.readiness().status == 200) }
            try await scene.fleet.expectNoTokens(in: scene.server)
        }
    }

    @Test func instanceStartsFromStoredKeySet() async throws {
        try await withScene { scene in
            let first = try await scene.fleet.start(scene.server.url)
            let token = try scene.token(scene.key)
            try await until("the set is there") { try await first.request(token: token).status == 200 }
            await scene.provider.goAway()
            let second = try await scene.fleet.start(scene.server.url)
            try await until("it is ready") { try await second.readiness().status == 200 }
            #expect(try await second.request(token: token).status == 200)
        }
    }

    @Test func requestsWithoutKeySetAreRefusedWithRetryAfter() async throws {
        try await withScene { scene in
            scene.provider.fail()
            let instance = try await scene.fleet.start(scene.server.url)
            try await scene.provider.asked()
            let response = try await instance.request(token: try scene.token(scene.key))
            #expect(response.status == 503)
            #expect(response.fields["Retry-After"].first.flatMap { Int($0) }.map { $0 > 0 } == true)
            #expect(try await instance.request("/open/x").status == 200)
            #expect(try await instance.request().status == 401)
            try await Self.expectUnready(instance)
            scene.provider.fail(false)
            try await until("it is ready") { try await instance.readiness().status == 200 }
            #expect(try await instance.request(token: try scene.token(scene.key)).status == 200)
        }
    }

    @Test func newKeyIsFetchedOnceAndOldOneEndsEverywhere() async throws {
        try await withScene { scene in
            let all = try await start(3, scene)
            let old = try scene.token(scene.key)
            for instance in all {
                try await until("the set is there") { try await instance.request(token: old).status == 200 }
            }
            #expect(scene.provider.fetches == 1)
            let successor = try SigningKey.generate(.p256)
            scene.provider.publish([successor])
            let new = try scene.token(successor)
            #expect(try await all[0].request(token: new).status == 200)
            #expect(scene.provider.fetches == 2)
            for instance in all {
                try await until("the new key is there") { try await instance.request(token: new).status == 200 }
                // The token was cached; it goes with its key.
                expectRefusal(try await instance.request(token: old), 401, "invalid_token")
            }
            #expect(scene.provider.fetches == 2)
        }
    }

    @Test func floodOfForgedKeyIDsMakesAtMostOneFetch() async throws {
        try await withScene { scene in
            let all = try await start(2, scene)
            let good = try scene.token(scene.key)
            for instance in all {
                try await until("the set is there") { try await instance.request(token: good).status == 200 }
            }
            let connections = 10
            let each = 5000
            let forged = try Forgery(scene.token(scene.key, "mallory"))
            try await withThrowingTaskGroup { group in
                for turn in 0..<connections {
                    let client = RawClient(try await Wire.connect(to: all[turn % all.count].address))
                    group.addTask {
                        // Enough requests in flight without a backlog.
                        for batch in 0..<each / 100 {
                            let numbers = (0..<100).map { (turn * each) + batch * 100 + $0 }
                            try await client.send(numbers.map { Self.request(forged.token($0)) }.joined())
                            for _ in numbers {
                                let status = try await client.response().status
                                guard status == 401 else { throw Malformed("\(status)") }
                            }
                        }
                        await client.close()
                    }
                }
                try await group.waitForAll()
            }
            #expect(scene.provider.fetches <= 2)
            for instance in all { #expect(try await instance.request(token: good).status == 200) }
        }
    }

    private func start(_ count: Int, _ scene: Scene) async throws -> [Instance] {
        var all: [Instance] = []
        for _ in 0..<count { all.append(try await scene.fleet.start(scene.server.url)) }
        return all
    }

    private static func expectUnready(_ instance: Instance) async throws {
        let readiness = try await instance.readiness()
        #expect(readiness.status == 503)
        #expect(readiness.body.text.contains("keys of "))
    }

    private static func request(_ token: String) -> String {
        "GET /x HTTP/1.1\r\nHost: app.test\r\nAuthorization: Bearer \(token)\r\n\r\n"
    }
}

/// Tokens with unknown key IDs, each a different one.
private struct Forgery {
    private let payloadAndSignature: String

    init(_ token: String) throws {
        guard let dot = token.firstIndex(of: ".") else { throw Malformed("no token") }
        payloadAndSignature = String(token[dot...])
    }

    func token(_ number: Int) -> String {
        let header = JSONWriter.bytes(of: ["alg": "ES256", "kid": .string("forged-\(number)")] as JSONObject)
        return Base64URL.encode(header) + payloadAndSignature
    }
}
