import Redis
import TestSupport
import Testing

@Suite struct ReconnectingTests {
    @Test func clientReconnectsAfterARestart() async throws {
        try await RedisServer.run(["appendonly yes", "appendfsync always"]) { server in
            try await Client.run(.direct(server.address)) { client in
                try await client.up()
                _ = try await client.send("SET", "key", "kept")
                #expect(client.redis.isUp && client.redis.connectionNumber == 1)
                try await server.process.kill()
                _ = try await client.down()
                #expect(!client.redis.isUp)
                try await server.restart()
                try await client.up()
                #expect(client.redis.isUp && client.redis.connectionNumber == 2)
                #expect(try await client.send("GET", "key") == .string(Array("kept".utf8)))
            }
        }
    }

    @Test func callsWaitForTheFirstConnection() async throws {
        let server = try await RedisServer()
        try await server.process.kill()
        try await Client.run(.direct(server.address)) { client in
            async let reply = client.send("PING")
            try await server.restart()
            #expect(try await reply == .status("PONG"))
        }
        try await server.remove()
    }

    @Test func callsBridgeAGapAndKeepTheirOrder() async throws {
        try await RedisServer.run { server in
            try await Client.run(.direct(server.address)) { client in
                try await client.up()
                try await server.process.kill()
                _ = try await client.down()
                async let replies = client.redis.pipeline((0..<10).map { RedisCommand("ECHO", $0) })
                try await server.restart()
                #expect(try await replies == (0..<10).map { .string(Array("\($0)".utf8)) })
                #expect(client.redis.connectionNumber == 2)
            }
        }
    }

    @Test func callWithoutConnectionReportsTheReason() async throws {
        let closed = try ClosedPort()
        try await Client.run(.direct(RedisAddress(host: "127.0.0.1", port: closed.port))) { client in
            let error = await client.failure(of: RedisCommand("PING"), timeout: .seconds(2))
            guard case .unavailable(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.lowercased().contains("connection refused") && reason.contains("\(closed.port)"))
        }
    }

    @Test func aHostThatCannotBeResolvedIsNamed() async throws {
        try await Client.run(.direct(RedisAddress(host: "redis.invalid"))) { client in
            let error = await client.failure(of: RedisCommand("PING"), timeout: .seconds(3))
            #expect(error == .unavailable("redis.invalid:6379: the host redis.invalid cannot be resolved"))
        }
    }

    @Test func nextAddressIsTriedWhenOneDoesNotRespond() async throws {
        try await RedisServer.run { server in
            var configuration = RedisConfiguration.direct(server.address)
            let closed = try ClosedPort()
            let dead = RedisAddress(host: "127.0.0.1", port: closed.port)
            configuration.servers = .direct([dead, server.address])
            try await Client.run(configuration) { (client: Client) async throws in
                #expect(try await client.send("PING") == .status("PONG"))
            }
            // A name with addresses of both versions, of which one is listened on.
            configuration.servers = .direct([RedisAddress(host: "localhost", port: server.port)])
            try await Client.run(configuration) { (client: Client) async throws in
                #expect(try await client.send("PING") == .status("PONG"))
            }
        }
    }

    @Test func pausedServerIsDetectedByTheCommandsDeadline() async throws {
        try await RedisServer.run { server in
            try await Client.run(.direct(server.address)) { client in
                _ = try await client.send("PING")
                server.process.pause()
                async let late = client.failure(of: RedisCommand("PING"), timeout: .milliseconds(300))
                #expect(await late == .timedOut)
                #expect(!client.redis.isUp)
                server.process.resume()
                #expect(try await client.send("PING") == .status("PONG"))
                #expect(client.redis.connectionNumber == 2)
            }
        }
    }

    @Test func otherCallsInFlightAreLostWithTheOneThatTimedOut() async throws {
        try await FakeServer.run { server in
            try await Client.run(.direct(RedisAddress(host: "127.0.0.1", port: server.port))) { client in
                let peer = try await server.peers.next()
                try await peer.welcome()
                async let other = client.failure(of: RedisCommand("ECHO", "other"))
                #expect(try await peer.commands.next() == ["ECHO", "other"])
                async let late = client.failure(of: RedisCommand("ECHO", "late"), timeout: .milliseconds(100))
                #expect(await late == .timedOut)
                #expect(await other == .lostInFlight("the server did not reply in time"))
            }
        }
    }

    @Test func hangingServerIsDetectedOnAnIdleConnection() async throws {
        try await RedisServer.run { server in
            var configuration = RedisConfiguration.direct(server.address)
            configuration.idleCheckInterval = .milliseconds(50)
            configuration.commandTimeout = .milliseconds(500)
            try await Client.run(configuration) { client in
                try await client.up()
                server.process.pause()
                #expect(try await client.down() == "the server did not reply in time")
                #expect(!client.redis.isUp)
                server.process.resume()
                try await client.up()
            }
        }
    }

    @Test func idleConnectionIsChecked() async throws {
        try await FakeServer.run { server in
            var configuration = RedisConfiguration.direct(RedisAddress(host: "127.0.0.1", port: server.port))
            configuration.idleCheckInterval = .milliseconds(20)
            try await Client.run(configuration) { client in
                let peer = try await server.peers.next()
                try await peer.welcome()
                for _ in 0..<3 {
                    #expect(try await peer.commands.next() == ["PING"])
                    peer.send("+PONG\r\n")
                }
                #expect(client.redis.isUp && client.redis.connectionNumber == 1)
            }
        }
    }

    @Test func sentCallIsNotRetried() async throws {
        try await FakeServer.run { server in
            try await Client.run(.direct(RedisAddress(host: "127.0.0.1", port: server.port))) { client in
                let first = try await server.peers.next()
                try await first.welcome()
                async let lost = client.failure(of: RedisCommand("INCR", "n"))
                #expect(try await first.commands.next() == ["INCR", "n"])
                first.close()
                guard case .lostInFlight = await lost else {
                    Issue.record("not lost")
                    return
                }
                async let next = client.send("GET", "n")
                let second = try await server.peers.next()
                try await second.welcome()
                #expect(try await second.commands.next() == ["GET", "n"])
                second.send("$1\r\n1\r\n")
                #expect(try await next == .string(Array("1".utf8)))
            }
        }
    }

    @Test func partiallyAnsweredPipelineFails() async throws {
        try await FakeServer.run { server in
            try await Client.run(.direct(RedisAddress(host: "127.0.0.1", port: server.port))) { client in
                let peer = try await server.peers.next()
                try await peer.welcome()
                async let lost: RedisError? = {
                    do throws(RedisError) {
                        _ = try await client.redis.pipeline([RedisCommand("INCR", "n"), RedisCommand("INCR", "n")])
                        return nil
                    } catch {
                        return error
                    }
                }()
                _ = try await peer.commands.next()
                _ = try await peer.commands.next()
                peer.send(":1\r\n")
                peer.close()
                guard case .lostInFlight = await lost else {
                    Issue.record("not lost")
                    return
                }
            }
        }
    }

    @Test func unsentCallsSurviveRepeatedDisconnects() async throws {
        try await RedisServer.run { server in
            try await Client.run(.direct(server.address)) { client in
                var acknowledged = 0
                var lost = 0
                for _ in 0..<30 {
                    // The server answers, closes, and what follows waits for the next connection or is lost.
                    async let killed = client.failure(
                        of: RedisCommand("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no")
                    )
                    do {
                        _ = try await client.send("INCR", "n")
                        acknowledged += 1
                    } catch RedisError.lostInFlight {
                        lost += 1
                    }
                    _ = await killed
                }
                guard case .string(let digits) = try await client.send("GET", "n"),
                    let count = Int(String(decoding: digits, as: UTF8.self))
                else { return #expect(acknowledged == 0) }
                #expect((acknowledged...acknowledged + lost).contains(count))
                #expect(client.redis.connectionNumber >= 20)
            }
        }
    }
}
