import Redis
import TestSupport
import Testing

@Suite(.serialized) struct SentinelTests {
    private static func configuration(_ set: SentinelSet) -> RedisConfiguration {
        var configuration = set.configuration
        configuration.commandTimeout = .seconds(20)
        configuration.retry.cap = .milliseconds(200)
        configuration.retry.refused = .milliseconds(400)
        return configuration
    }

    @Test func newMasterIsFoundAfterAFailover() async throws {
        try await SentinelSet.run(replicas: 1) { set in
            try await Client.run(Self.configuration(set)) { client in
                #expect(try await client.send("SET", "key", "before") == .status("OK"))
                #expect(try await client.send("WAIT", 1, 10_000) == .integer(1))
                try await set.master.process.kill()
                // The first command after the stop waits for the whole failover.
                var reply = await client.failure(of: RedisCommand("PING"))
                while case .lostInFlight = reply { reply = await client.failure(of: RedisCommand("PING")) }
                #expect(reply == nil)
                #expect(try await client.send("GET", "key") == .string(Array("before".utf8)))
                #expect(try await client.send("SET", "key", "after") == .status("OK"))
            }
            try await Client.run(.direct(set.replicas[0].address)) { (client: Client) async throws in
                #expect(try await client.send("GET", "key") == .string(Array("after".utf8)))
            }
        }
    }

    @Test func hangingMasterIsReplaced() async throws {
        try await SentinelSet.run(replicas: 1) { set in
            var configuration = Self.configuration(set)
            configuration.idleCheckInterval = .milliseconds(100)
            configuration.commandTimeout = .milliseconds(500)
            configuration.connectTimeout = .milliseconds(500)
            try await Client.run(configuration) { client in
                try await client.up()
                set.master.process.pause()
                try await client.backUp()
                #expect(try await client.send("SET", "key", "after") == .status("OK"))
                // It comes back as a replica, which clients do not use.
                set.master.process.resume()
                #expect(try await client.send("GET", "key") == .string(Array("after".utf8)))
            }
        }
    }

    @Test func missingAndProtectedSentinelsAreSkipped() async throws {
        try await SentinelSet.run(replicas: 1, password: "watch") { set in
            try await set.sentinels[0].process.kill()
            var configuration = Self.configuration(set)
            try await Client.run(configuration) { client in
                let error = await client.failure(of: RedisCommand("PING"), timeout: .seconds(2))
                guard case .unavailable(let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(reason.contains("NOAUTH"))
            }
            configuration.servers = .sentinels(
                set.sentinels.map(\.address),
                masterName: SentinelSet.masterName,
                credentials: RedisCredentials(password: RedisPassword("watch"))
            )
            try await Client.run(configuration) { (client: Client) async throws in
                #expect(try await client.send("PING") == .status("PONG"))
            }
            configuration.servers = .sentinels(
                set.sentinels.map(\.address),
                masterName: "other",
                credentials: RedisCredentials(password: RedisPassword("watch"))
            )
            try await Client.run(configuration) { client in
                let error = await client.failure(of: RedisCommand("PING"), timeout: .seconds(2))
                guard case .unavailable(let reason) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(reason.contains("no master named other"))
            }
        }
    }

    @Test func sentinelThatNamesAReplicaIsSkipped() async throws {
        try await RedisServer.run { master in
            try await RedisServer.run(["replicaof 127.0.0.1 \(master.port)"]) { replica in
                try await replica.process.line(with: "sync: Finished with success")
                try await FakeServer.run { misled in
                    try await FakeServer.run { informed in
                        let addresses = [misled, informed].map { RedisAddress(host: "127.0.0.1", port: $0.port) }
                        var configuration = RedisConfiguration.direct(master.address)
                        configuration.servers = .sentinels(addresses, masterName: "gate")
                        try await Client.run(configuration) { client in
                            try await Self.name(replica, by: misled)
                            try await Self.name(master, by: informed)
                            #expect(try await client.send("SET", "key", "1") == .status("OK"))
                            #expect(client.redis.connectionNumber == 1)
                        }
                    }
                }
            }
        }
    }

    /// Replies as a sentinel that names `server` as the master.
    private static func name(_ server: RedisServer, by sentinel: FakeServer) async throws {
        let peer = try await sentinel.peers.next()
        #expect(try await peer.commands.next() == ["SENTINEL", "get-master-addr-by-name", "gate"])
        let port = "\(server.port)"
        peer.send("*2\r\n$9\r\n127.0.0.1\r\n$\(port.utf8.count)\r\n\(port)\r\n")
    }
}
