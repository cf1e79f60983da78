import Redis
import TestSupport
import Testing

@Suite struct CommandTests {
    @Test func repliesHaveTheirTypes() async throws {
        try await RedisServer.run { server in
            try await Client.run(.direct(server.address)) { client in
                let bytes: [UInt8] = [0, 13, 10, 255]
                #expect(try await client.send("SET", "key", bytes) == .status("OK"))
                #expect(try await client.send("GET", "key") == .string(bytes))
                #expect(try await client.send("GET", "none") == .null)
                #expect(try await client.send("INCRBY", "n", Int64.max) == .integer(.max))
                #expect(try await client.send("LRANGE", "none", 0, -1) == .array([]))
                let reply = try await client.send("LPUSH", "key", "x")
                guard case .error("WRONGTYPE", let message) = reply else {
                    Issue.record("\(reply)")
                    return
                }
                #expect(message.hasPrefix("WRONGTYPE "))
            }
        }
    }

    @Test func pipelineReturnsErrorsInOrder() async throws {
        try await RedisServer.run { server in
            try await Client.run(.direct(server.address)) { client in
                let replies = try await client.redis.pipeline([
                    RedisCommand("SET", "key", "1"), RedisCommand("NOSUCH"), RedisCommand("INCR", "key"),
                ])
                #expect(replies.count == 3 && replies[0] == .status("OK") && replies[2] == .integer(2))
                guard case .error("ERR", _) = replies[1] else {
                    Issue.record("\(replies[1])")
                    return
                }
                #expect(try await client.redis.pipeline([]) == [])
            }
        }
    }

    @Test func concurrentCallersGetTheirOwnReplies() async throws {
        try await RedisServer.run { server in
            try await Client.run(.direct(server.address)) { client in
                try await withThrowingTaskGroup { group in
                    for task in 0..<50 {
                        group.addTask {
                            for number in 0..<40 {
                                let text = "\(task)-\(number)"
                                #expect(try await client.send("ECHO", text) == .string(Array(text.utf8)))
                                let pair = try await client.redis.pipeline([
                                    RedisCommand("ECHO", text), RedisCommand("ECHO", number),
                                ])
                                #expect(pair == [.string(Array(text.utf8)), .string(Array("\(number)".utf8))])
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(client.redis.connectionNumber == 1)
            }
        }
    }

    @Test func pipelineCommandsAreNotInterleaved() async throws {
        try await RedisServer.run { server in
            try await Client.run(.direct(server.address)) { client in
                try await withThrowingTaskGroup { group in
                    for _ in 0..<20 {
                        group.addTask {
                            let increments = [RedisCommand](repeating: RedisCommand("INCR", "n"), count: 50)
                            let replies = try await client.redis.pipeline(increments)
                            guard case .integer(let first) = replies.first else { throw EndOfStream() }
                            #expect(replies == (first..<first + 50).map { .integer($0) })
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test func databaseAndClientNameAreSet() async throws {
        try await RedisServer.run { server in
            var configuration = RedisConfiguration.direct(server.address)
            configuration.database = 3
            configuration.clientName = "gatehouse-test"
            try await Client.run(configuration) { client in
                _ = try await client.send("SET", "key", "in 3")
                #expect(try await client.send("CLIENT", "GETNAME") == .string(Array("gatehouse-test".utf8)))
            }
            try await Client.run(.direct(server.address)) { (client: Client) async throws in
                #expect(try await client.send("GET", "key") == .null)
                #expect(try await client.send("SELECT", 3) == .status("OK"))
                #expect(try await client.send("GET", "key") == .string(Array("in 3".utf8)))
            }
        }
    }

    @Test func hugeValueIsWrittenAndRead() async throws {
        try await RedisServer.run { server in
            try await Client.run(.direct(server.address)) { (client: Client) async throws in
                let value = (0..<20 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
                #expect(try await client.send("SET", "huge", value) == .status("OK"))
                #expect(try await client.send("GET", "huge") == .string(value))
                #expect(try await client.send("PING") == .status("PONG"))
            }
        }
    }

    @Test func oversizedReplyOnlyClosesTheConnection() async throws {
        try await RedisServer.run { server in
            var configuration = RedisConfiguration.direct(server.address)
            configuration.maximumReplyBytes = 100_000
            try await Client.run(configuration) { client in
                _ = try await client.send("SETRANGE", "huge", 200_000, "x")
                let error = await client.failure(of: RedisCommand("GET", "huge"))
                guard case .lostInFlight(let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(reason.contains("a reply of more than 100000 bytes"))
                #expect(try await client.send("STRLEN", "huge") == .integer(200_001))
                #expect(client.redis.connectionNumber == 2)
            }
        }
    }

    @Test func scriptRunsAfterScriptFlush() async throws {
        try await RedisServer.run { server in
            try await Client.run(.direct(server.address)) { client in
                let script = RedisScript("redis.call('SET', KEYS[1], ARGV[1]); return {KEYS[1], ARGV[1]}")
                let command = script.command(keys: ["key"], arguments: ["value"])
                let expected = RedisReply.array([.string(Array("key".utf8)), .string(Array("value".utf8))])
                #expect(try await client.redis.send(command) == expected)
                #expect(try await client.send("SCRIPT", "FLUSH") == .status("OK"))
                let replies = try await client.redis.pipeline([RedisCommand("SCRIPT", "FLUSH"), command, command])
                #expect(replies == [.status("OK"), expected, expected])
                try await server.restart()
                try await client.backUp()
                #expect(try await client.redis.send(command) == expected)
            }
        }
    }

    @Test func blockingReadHasItsOwnDeadline() async throws {
        try await RedisServer.run { server in
            var configuration = RedisConfiguration.direct(server.address)
            configuration.commandTimeout = .seconds(1)
            configuration.idleCheckInterval = .milliseconds(200)
            try await Client.run(configuration) { client in
                // Longer than the timeout of other commands; the checks of idle connections must not wait for it.
                let reply = try await client.send("XREAD", "BLOCK", 1500, "STREAMS", "s", "$", timeout: .seconds(20))
                #expect(reply == .null)
                #expect(client.redis.connectionNumber == 1)
            }
        }
    }
}
