import Redis
import TestSupport
import Testing
import Verification

/// An instance that was cut off from Redis catches up on all changes.
@Suite(.serialized) struct StorePartitionTests {
    @Test(arguments: Relay.Fault.allCases) func instanceCatchesUpAfterPartition(_ fault: Relay.Fault) async throws {
        try await withRelay { fleet, server, relay async throws in
            let near = try await fleet.start(server.url)
            let far = try await fleet.start(relay.url)
            let tokens = try fleet.tokens(of: ["a", "b", "c", "withdrawn", "free"])
            try await expectRevoked(["subject": "withdrawn"], by: near)
            try await far.awaitRefusal(of: tokens[3])
            try await relay.begin(fault)
            for subject in ["a", "b", "c"] { try await expectRevoked(["subject": .string(subject)], by: near) }
            try await expectWithdrawn(["subject": "withdrawn"], by: near)
            // `far` does not know the changes yet, so it can only learn them after the partition.
            #expect(try await !far.refuses(tokens[0]))
            #expect(try await far.refuses(tokens[3]))
            try await relay.heal()
            for token in tokens[..<3] { try await far.awaitRefusal(of: token) }
            try await far.awaitAcceptance(of: tokens[3])
            #expect(try await !far.refuses(tokens[4]))
            // In the other direction too: `far` revokes, `near` refuses.
            try await CrashTests.expectRevokingWorks(by: far, at: near, fleet)
        }
    }

    /// The stream was trimmed during the partition, so that everything has to be loaded again.
    ///
    /// - Parameter kept: Entries that stay in the stream.
    @Test(arguments: [0, 1]) func trimmedStreamMakesInstanceReloadAllRevocations(_ kept: Int) async throws {
        try await withRelay { fleet, server, relay async throws in
            let near = try await fleet.start(server.url)
            let far = try await fleet.start(relay.url)
            let tokens = try fleet.tokens(of: ["before", "a", "b", "withdrawn", "free"])
            for subject in ["before", "withdrawn"] {
                try await expectRevoked(["subject": .string(subject)], by: near)
            }
            try await far.awaitRefusal(of: tokens[0])
            try await far.awaitRefusal(of: tokens[3])
            try await relay.begin(.cut)
            for subject in ["a", "b"] { try await expectRevoked(["subject": .string(subject)], by: near) }
            try await expectWithdrawn(["subject": "withdrawn"], by: near)
            try await server.send(RedisCommand("XTRIM", "gatehouse:changes", "MAXLEN", kept))
            #expect(try await server.send(RedisCommand("XLEN", "gatehouse:changes")) == .integer(Int64(kept)))
            try await relay.heal()
            for token in tokens[1..<3] { try await far.awaitRefusal(of: token) }
            try await far.awaitAcceptance(of: tokens[3])
            try await CrashTests.expectRevokingWorks(by: near, at: far, fleet)
            for instance in [near, far] {
                for token in tokens[..<3] { #expect(try await instance.refuses(token)) }
                for token in tokens[3...] { #expect(try await !instance.refuses(token)) }
            }
        }
    }

    private func withRelay(_ test: (Instances, RedisServer, Relay) async throws -> Void) async throws {
        try await RedisServer.run { server in
            try await Relay.run(to: server.port) { relay in
                try await withInstances { fleet in try await test(fleet, server, relay) }
            }
        }
    }
}
