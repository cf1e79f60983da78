import Redis
import TestSupport
import Testing

@Suite struct CredentialsTests {
    private static func configuration(
        _ server: RedisServer,
        user: String? = nil,
        password: String
    ) -> RedisConfiguration {
        var configuration = RedisConfiguration.direct(server.address)
        configuration.credentials = RedisCredentials(user: user, password: RedisPassword(password))
        return configuration
    }

    @Test func correctPasswordConnects() async throws {
        try await RedisServer.run(["requirepass secret"]) { server in
            try await Client.run(Self.configuration(server, password: "secret")) { (client: Client) async throws in
                #expect(try await client.send("PING") == .status("PONG"))
            }
        }
    }

    @Test func serverWithoutPasswordAcceptsOne() async throws {
        try await RedisServer.run { server in
            try await Client.run(Self.configuration(server, password: "secret")) { (client: Client) async throws in
                #expect(try await client.send("PING") == .status("PONG"))
            }
        }
    }

    @Test func wrongPasswordIsReportedOnceAndCallsFailAtOnce() async throws {
        try await RedisServer.run(["requirepass secret"]) { server in
            let lines = Mailbox<String>("a log line")
            try await Client.run(Self.configuration(server, password: "wr0ng"), logger: .heard(by: lines)) { client in
                let told = try await lines.next()
                #expect(told.hasPrefix("error no connection to Redis") && told.contains("WRONGPASS"))
                #expect(told.contains("\(server.port)") && !told.contains("wr0ng"))
                // At once, and not after the ten seconds that a command may take.
                let error = await client.failure(of: RedisCommand("PING"))
                guard case .unusable(let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(reason.contains("WRONGPASS") && !reason.contains("wr0ng"))
                // It continues to try without logging, and then finds that the server's password has changed.
                try await Client.run(Self.configuration(server, password: "secret")) { other in
                    _ = try await other.send("CONFIG", "SET", "requirepass", "wr0ng")
                }
                try await client.up()
                #expect(try await lines.next().hasPrefix("info connected to Redis"))
                #expect(try await client.send("PING") == .status("PONG"))
            }
        }
    }

    /// The reply of servers that are older than ACL users, or that have renamed the command.
    @Test func echoedPasswordIsNotReported() async throws {
        try await FakeServer.run { server in
            let lines = Mailbox<String>("a log line")
            var configuration = RedisConfiguration.direct(RedisAddress(host: "127.0.0.1", port: server.port))
            configuration.credentials = RedisCredentials(user: nil, password: RedisPassword("s3cret"))
            try await Client.run(configuration, logger: .heard(by: lines)) { client in
                let peer = try await server.peers.next()
                #expect(try await peer.commands.next() == ["AUTH", "default", "s3cret"])
                peer.send("-ERR unknown command 'AUTH', with args beginning with: 'default' 's3cret'\r\n")
                let told = try await lines.next()
                #expect(told.contains("ERR in reply to AUTH") && !told.contains("s3cret"))
                // If the client is late, it reports that first.
                while true {
                    let error = await client.failure(of: RedisCommand("PING"), timeout: .milliseconds(50))
                    guard case .unavailable(let reason) = error else {
                        Issue.record("\(String(describing: error))")
                        return
                    }
                    #expect(!reason.contains("s3cret"))
                    if reason.contains("ERR in reply to AUTH") { break }
                }
            }
        }
    }

    @Test func missingPasswordIsReported() async throws {
        try await RedisServer.run(["requirepass secret"]) { server in
            try await Client.run(.direct(server.address)) { client in
                guard case .unusable(let reason) = await client.failure(of: RedisCommand("PING")) else {
                    Issue.record("no change was read")
                    return
                }
                #expect(reason.contains("NOAUTH"))
            }
        }
    }

    @Test func userIsLimitedByItsRules() async throws {
        try await RedisServer.run(["user gate on >key ~gatehouse:* +get +set +select", "user default off"]) { server in
            var configuration = Self.configuration(server, user: "gate", password: "key")
            configuration.database = 1
            configuration.clientName = "courtesy"
            try await Client.run(configuration) { client in
                #expect(try await client.send("SET", "gatehouse:x", "1") == .status("OK"))
                for command in [RedisCommand("GET", "other"), RedisCommand("DEL", "gatehouse:x")] {
                    guard case .error("NOPERM", _) = try await client.redis.send(command) else {
                        Issue.record("\(command) was allowed")
                        continue
                    }
                }
            }
            try await Client.run(Self.configuration(server, user: "gate", password: "no")) { client in
                guard case .unusable = await client.failure(of: RedisCommand("PING")) else {
                    Issue.record("not refused")
                    return
                }
            }
        }
    }

    @Test func missingDatabaseIsReported() async throws {
        try await RedisServer.run(["databases 4"]) { server in
            var configuration = RedisConfiguration.direct(server.address)
            configuration.database = 4
            try await Client.run(configuration) { client in
                guard case .unusable(let reason) = await client.failure(of: RedisCommand("PING")) else {
                    Issue.record("not refused")
                    return
                }
                #expect(reason.contains("database 4"))
            }
        }
    }
}
