import Redis
import TestSupport
import Testing

@Suite struct WaitingTests {
    private static func nowhere(_ port: ClosedPort) -> RedisConfiguration {
        .direct(RedisAddress(host: "127.0.0.1", port: port.port))
    }

    @Test func callsBeyondTheQueueFailAtOnce() async throws {
        let port = try ClosedPort()
        var configuration = Self.nowhere(port)
        configuration.maximumQueuedCommands = 3
        configuration.maximumQueuedBytes = 1000
        try await Client.run(configuration) { client in
            let waiting = Task { await client.failure(of: RedisCommand("PING")) }
            let large = await client.failure(of: RedisCommand("SET", "key", [UInt8](repeating: 0, count: 1000)))
            #expect(large == .queueFull)
            do throws(RedisError) {
                _ = try await client.redis.pipeline([RedisCommand](repeating: RedisCommand("PING"), count: 4))
                Issue.record("taken")
            } catch {
                #expect(error == .queueFull)
            }
            waiting.cancel()
            #expect(await waiting.value == .cancelled)
        }
    }

    @Test func queueAcceptsCallsAgainAfterReplies() async throws {
        try await FakeServer.run { server in
            var configuration = RedisConfiguration.direct(RedisAddress(host: "127.0.0.1", port: server.port))
            configuration.maximumQueuedCommands = 1
            try await Client.run(configuration) { client in
                let peer = try await server.peers.next()
                try await peer.welcome()
                async let first = client.send("ECHO", "1")
                _ = try await peer.commands.next()
                #expect(await client.failure(of: RedisCommand("ECHO", "2")) == .queueFull)
                peer.send("+1\r\n")
                #expect(try await first == .status("1"))
                async let third = client.send("ECHO", "3")
                #expect(try await peer.commands.next() == ["ECHO", "3"])
                peer.send("+3\r\n")
                #expect(try await third == .status("3"))
            }
        }
    }

    @Test func cancelledCallerReturnsAndItsCallIsNotSent() async throws {
        let server = try await RedisServer()
        try await server.process.kill()
        try await Client.run(.direct(server.address)) { client in
            let caller = Task { await client.failure(of: RedisCommand("SET", "key", "1")) }
            caller.cancel()
            #expect(await caller.value == .cancelled)
            try await server.restart()
            #expect(try await client.send("GET", "key") == .null)
        }
        try await server.remove()
    }

    @Test func cancelledBlockingReadDoesNotAffectTheNextCall() async throws {
        try await FakeServer.run { server in
            try await Client.run(.direct(RedisAddress(host: "127.0.0.1", port: server.port))) { client in
                let peer = try await server.peers.next()
                try await peer.welcome()
                let caller = Task { await client.failure(of: RedisCommand("BLPOP", "list", 0), timeout: .seconds(60)) }
                #expect(try await peer.commands.next() == ["BLPOP", "list", "0"])
                caller.cancel()
                #expect(await caller.value == .cancelled)
                async let next = client.send("ECHO", "next")
                _ = try await peer.commands.next()
                peer.send("+popped\r\n+next\r\n")
                #expect(try await next == .status("next"))
                #expect(client.redis.connectionNumber == 1)
            }
        }
    }

    @Test func cancelledTaskSendsNothing() async throws {
        try await RedisServer.run { server in
            try await Client.run(.direct(server.address)) { (client: Client) async throws in
                let caller = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return await client.failure(of: RedisCommand("SET", "key", "1"))
                }
                #expect(await caller.value == .cancelled)
                #expect(try await client.send("GET", "key") == .null)
            }
        }
    }

    @Test func closingFailsPresentAndLaterCalls() async throws {
        try await FakeServer.run { server in
            try await Client.run(.direct(RedisAddress(host: "127.0.0.1", port: server.port))) { client in
                let peer = try await server.peers.next()
                try await peer.welcome()
                async let sent = client.failure(of: RedisCommand("BLPOP", "list", 0))
                _ = try await peer.commands.next()
                await client.redis.close()
                #expect(await sent == .closed)
                #expect(await client.failure(of: RedisCommand("PING")) == .closed)
                #expect(!client.redis.isUp)
                client.redis.start()
                await client.redis.close()
                // The server sees the end of the connection.
                await #expect(throws: EndOfStream.self) { try await peer.commands.next() }
            }
        }
    }

    @Test func closingFailsCallsThatWaitForAConnection() async throws {
        let port = try ClosedPort()
        try await Client.run(Self.nowhere(port)) { client in
            async let waiting = client.failure(of: RedisCommand("PING"))
            // One turn of the event loop, in which the call before can have arrived.
            _ = await client.failure(of: RedisCommand("PING"), timeout: .milliseconds(50))
            await client.redis.close()
            #expect(await waiting == .closed)
        }
    }

    @Test func anyTimeoutIsAccepted() async throws {
        try await RedisServer.run { server in
            try await Client.run(.direct(server.address)) { (client: Client) async throws in
                #expect(try await client.send("PING", timeout: .seconds(Int64.max)) == .status("PONG"))
                for none in [Duration.seconds(-1), .zero] {
                    guard case .unavailable = await client.failure(of: RedisCommand("PING"), timeout: none) else {
                        Issue.record("sent with no time left")
                        continue
                    }
                }
                #expect(try await client.send("PING") == .status("PONG"))
                #expect(client.redis.connectionNumber == 1)
            }
        }
    }
}
