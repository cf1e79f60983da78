import NIOCore
import Redis
import TestSupport
import Testing

/// A server that was unreachable for longer than calls wait.
@Suite(.timeLimit(.minutes(5))) struct AbsenceTests {
    private static func configuration(_ address: RedisAddress) -> RedisConfiguration {
        var configuration = RedisConfiguration.direct(address)
        configuration.commandTimeout = .milliseconds(400)
        return configuration
    }

    /// Their own timeouts are longer than the test may take: a call that waited for one would fail it.
    @Test func callsToAnAbsentServerFailAtOnce() async throws {
        let closed = try ClosedPort()
        let address = RedisAddress(host: "127.0.0.1", port: closed.port)
        try await Client.run(Self.configuration(address)) { client in
            for _ in 0..<20 {
                let error = await client.failure(of: RedisCommand("PING"), timeout: .seconds(3600))
                guard case .unavailable(let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(reason.lowercased().contains("connection refused"))
                #expect(client.redis.isAbsent)
            }
        }
    }

    @Test func waitingCallsFailTogetherWhenTheServerBecomesAbsent() async throws {
        let closed = try ClosedPort()
        let address = RedisAddress(host: "127.0.0.1", port: closed.port)
        try await Client.run(Self.configuration(address)) { client in
            await withTaskGroup(of: RedisError?.self) { group in
                for _ in 0..<20 {
                    group.addTask { await client.failure(of: RedisCommand("PING"), timeout: .seconds(3600)) }
                }
                for await error in group {
                    guard case .unavailable = error else { Issue.record("\(String(describing: error))"); return }
                }
            }
        }
    }

    /// The connection is open but silent: the first call detects it, the next ones fail at once.
    @Test func hangingServerIsAbsentAfterACallTimesOut() async throws {
        try await RedisServer.run { server in
            try await Client.run(Self.configuration(server.address)) { client in
                try await client.up()
                server.process.pause()
                #expect(await client.failure(of: RedisCommand("PING")) == .timedOut)
                guard case .unavailable = await client.failure(of: RedisCommand("PING"), timeout: .seconds(3600)) else {
                    Issue.record("sent")
                    return
                }
                #expect(client.redis.isAbsent)
                server.process.resume()
                try await client.backUp()
                #expect(!client.redis.isAbsent)
                #expect(try await client.send("PING") == .status("PONG"))
            }
        }
    }

    @Test func returningServerIsNotAbsent() async throws {
        try await RedisServer.run { server in
            try await Client.run(Self.configuration(server.address)) { client in
                try await client.up()
                try await server.process.kill()
                _ = try await client.down()
                guard case .unavailable = await client.failure(of: RedisCommand("PING"), timeout: .seconds(3600)) else {
                    Issue.record("sent")
                    return
                }
                #expect(client.redis.isAbsent && !client.redis.isUp)
                try await server.restart()
                try await client.up()
                #expect(!client.redis.isAbsent)
                #expect(try await client.send("PING") == .status("PONG"))
            }
        }
    }
}
