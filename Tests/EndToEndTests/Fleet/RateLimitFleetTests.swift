import TestSupport
import Testing
import Verification

/// One limit that three instances share.
@Suite(.serialized) struct RateLimitFleetTests {
    private static let burst = 60
    private static let ahead = 10

    /// A rate so low that no allowance is restored during a test.
    private static let setup = GatewaySetup(
        tenant: "rate_limits: [ { by: subject, rate: 3/h, burst: \(burst), shared: true, ahead: \(ahead) } ]"
    )

    /// Several clients per instance send requests concurrently.
    ///
    /// - Returns: The number of granted requests.
    private static func hammer(_ instances: [Instance], _ token: String, each count: Int) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for instance in instances {
                for _ in 0..<4 {
                    group.addTask {
                        var passed = 0
                        for _ in 0..<count where try await instance.request(token: token).status == 200 { passed += 1 }
                        return passed
                    }
                }
            }
            return try await group.reduce(0, +)
        }
    }

    /// Sends requests until the burst is used up, and one more round: at `ahead` an instance may refuse for a moment.
    private static func useUp(_ instances: [Instance], _ token: String) async throws -> Int {
        var passed = 0
        try await until("the burst is used up") {
            passed += try await hammer(instances, token, each: 20)
            return passed >= burst
        }
        return try await passed + hammer(instances, token, each: 20)
    }

    private static func start(_ count: Int, _ fleet: Instances, _ server: RedisServer) async throws -> [Instance] {
        var instances: [Instance] = []
        for _ in 0..<count { instances.append(try await fleet.start(server.url)) }
        return instances
    }

    @Test func threeInstancesShareOneLimit() async throws {
        try await RedisServer.run { server in
            try await withInstances(Self.setup) { fleet in
                let instances = try await Self.start(3, fleet, server)
                for subject in ["alice", "bob", "carol"] {
                    let passed = try await Self.useUp(instances, try fleet.token(["sub": .string(subject)]))
                    #expect((Self.burst...(Self.burst + 2 * Self.ahead)).contains(passed), "\(passed)")
                }
                try await fleet.expectNoTokens(in: server)
            }
        }
    }

    /// Instances learn of each other's requests without traffic of their own.
    @Test func limitUsedUpAtOneInstanceRefusesAtAll() async throws {
        try await RedisServer.run { server in
            try await withInstances(Self.setup) { fleet in
                let instances = try await Self.start(3, fleet, server)
                let token = try fleet.token(["sub": "alice"])
                #expect(try await Self.useUp([instances[0]], token) == Self.burst)
                for other in instances.dropFirst() {
                    let passed = try await Self.hammer([other], token, each: 20)
                    #expect(passed <= Self.ahead, "\(passed)")
                    expectRefusal(try await other.request(token: token), 429, "rate_limited")
                }
            }
        }
    }

    @Test func storeOutageLimitsPerInstance() async throws {
        try await RedisServer.run { server in
            try await withInstances(Self.setup) { fleet in
                let instances = try await Self.start(3, fleet, server)
                try await server.kill()
                // Until the outage is noticed, requests may be held at `ahead`.
                let other = try fleet.token(["sub": "other"])
                try await until("all go on alone") {
                    for instance in instances { _ = try await instance.request(token: other) }
                    return fleet.log.text.count(of: "rate limits by itself") == 3
                }
                let alice = try fleet.token(["sub": "alice"])
                #expect(try await Self.hammer(instances, alice, each: 40) == 3 * Self.burst)
                try await server.restart()
                try await until("all count in the store again") {
                    fleet.log.text.count(of: "counted in the store again") == 3
                }
                let bob = try await Self.useUp(instances, try fleet.token(["sub": "bob"]))
                #expect((Self.burst...(Self.burst + 2 * Self.ahead)).contains(bob), "\(bob)")
            }
        }
    }
}

extension String {
    /// How often `text` is in it.
    fileprivate func count(of text: String) -> Int {
        split(separator: text, omittingEmptySubsequences: false).count - 1
    }
}
