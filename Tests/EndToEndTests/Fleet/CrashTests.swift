import TestSupport
import Testing
import Verification

/// `kill -9`, of an instance and of Redis: nothing that was acknowledged is lost.
@Suite(.serialized) struct CrashTests {
    @Test func revocationOutlivesAcknowledgingInstance() async throws {
        try await RedisServer.run { server in
            try await withInstances { fleet in
                let first = try await fleet.startProcess(server.url)
                let second = try await fleet.startProcess(server.url)
                let tokens = try fleet.tokens(of: ["a", "b", "free"])
                try await expectRevoked(["subject": "a"], by: second.instance)
                try await expectRevoked(["subject": "b"], by: first.instance)
                // Right after the acknowledgement.
                try await first.kill()
                for token in tokens[..<2] { try await second.instance.awaitRefusal(of: token) }
                try await first.start()
                for process in [first, second] {
                    #expect(try await process.instance.refuses(tokens[0]))
                    #expect(try await process.instance.refuses(tokens[1]))
                    #expect(try await !process.instance.refuses(tokens[2]))
                }
            }
        }
    }

    @Test func killedRedisKeepsAcknowledgedRevocations() async throws {
        try await RedisServer.run(RedisServer.durable) { server in
            try await withInstances { fleet in
                let first = try await fleet.startProcess(server.url)
                let second = try await fleet.start(server.url)
                let subjects = (0..<20).map { "subject-\($0)" }
                let revoked = try fleet.tokens(of: subjects)
                let withdrawn = try fleet.token(["sub": "withdrawn"])
                let free = try fleet.token(["sub": "free"])
                try await expectRevoked(["subject": "withdrawn"], by: first.instance)
                try await second.awaitRefusal(of: withdrawn)
                try await expectWithdrawn(["subject": "withdrawn"], by: second)
                for subject in subjects { try await expectRevoked(["subject": .string(subject)], by: second) }
                try await server.kill()
                // Requests go on without it.
                #expect(try await !first.instance.refuses(free))
                #expect(try await second.refuses(revoked[0]))
                try await server.restart()
                try await Self.expectRevokingWorks(by: first.instance, at: second, fleet)
                let third = try await fleet.start(server.url)
                for instance in [first.instance, second, third] {
                    for token in revoked { #expect(try await instance.refuses(token)) }
                    #expect(try await !instance.refuses(free))
                    #expect(try await !instance.refuses(withdrawn))
                }
            }
        }
    }

    @Test func emptyRedisIsRestoredFromInstances() async throws {
        try await RedisServer.run { server in
            try await withInstances { fleet in
                let (first, second) = (try await fleet.start(server.url), try await fleet.start(server.url))
                let tokens = try fleet.tokens(of: ["revoked", "withdrawn", "free"])
                try await expectRevoked(["subject": "revoked"], by: first)
                try await expectRevoked(["subject": "withdrawn"], by: first)
                try await second.awaitRefusal(of: tokens[0])
                try await second.awaitRefusal(of: tokens[1])
                try await expectWithdrawn(["subject": "withdrawn"], by: second)
                try await first.awaitAcceptance(of: tokens[1])
                try await server.restart()
                try await Self.expectRevokingWorks(by: first, at: second, fleet)
                let third = try await fleet.start(server.url)
                try await third.awaitRefusal(of: tokens[0])
                for instance in [first, second, third] {
                    #expect(try await instance.refuses(tokens[0]))
                    #expect(try await !instance.refuses(tokens[1]))
                    #expect(try await !instance.refuses(tokens[2]))
                }
            }
        }
    }

    /// The instance that was cut off restores a revocation that it does not know to be withdrawn.
    @Test func withdrawalOutlivesEmptyRedisAndStaleInstance() async throws {
        try await RedisServer.run { server in
            try await Relay.run(to: server.port) { relay in
                try await withInstances { fleet in
                    let first = try await fleet.start(server.url)
                    let second = try await fleet.start(relay.url)
                    let token = try fleet.token(["sub": "withdrawn"])
                    let other = try fleet.token(["sub": "other"])
                    try await expectRevoked(["subject": "withdrawn"], by: first)
                    try await expectRevoked(["subject": "other"], by: first)
                    try await second.awaitRefusal(of: token)
                    try await second.awaitRefusal(of: other)
                    try await relay.begin(.cut)
                    try await expectWithdrawn(["subject": "withdrawn"], by: first)
                    try await server.restart()
                    try await relay.heal()
                    try await second.awaitAcceptance(of: token)
                    try await Self.expectRevokingWorks(by: first, at: second, fleet)
                    let third = try await fleet.start(server.url)
                    try await third.awaitRefusal(of: other)
                    for instance in [first, second, third] {
                        #expect(try await !instance.refuses(token))
                        #expect(try await instance.refuses(other))
                    }
                }
            }
        }
    }

    @Test func sqliteFileIsSharedAndSurvivesRestart() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let store = "embedded:\(scratch.path)/gatehouse.db"
        try await withInstances { fleet in
            let first = try await fleet.startProcess(store)
            let second = try await fleet.startProcess(store)
            let tokens = try fleet.tokens(of: ["a", "b", "c", "withdrawn", "free"])
            try await expectRevoked(["subject": "a"], by: first.instance)
            try await second.instance.awaitRefusal(of: tokens[0])
            try await expectRevoked(["subject": "b"], by: second.instance)
            try await first.instance.awaitRefusal(of: tokens[1])
            try await expectRevoked(["subject": "withdrawn"], by: first.instance)
            try await expectWithdrawn(["subject": "withdrawn"], by: second.instance)
            try await expectRevoked(["subject": "c"], by: first.instance)
            try await first.kill()
            try await second.kill()
            try await first.start()
            try await second.start()
            for process in [first, second] {
                for token in tokens[..<3] { #expect(try await process.instance.refuses(token)) }
                for token in tokens[3...] { #expect(try await !process.instance.refuses(token)) }
            }
        }
    }

    /// Waits until revoking works again at both instances.
    static func expectRevokingWorks(by first: Instance, at other: Instance, _ fleet: Instances) async throws {
        let late = try fleet.token(["sub": "late"])
        try await until("revocations are taken again") {
            let response = try await first.revoke(["subject": "late"])
            guard response.status == 200 || response.status == 503 else { throw Malformed("\(response.status)") }
            return response.status == 200
        }
        try await other.awaitRefusal(of: late)
    }
}
