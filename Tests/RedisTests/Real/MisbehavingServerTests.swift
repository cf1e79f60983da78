import Redis
import TestSupport
import Testing

/// Servers that are not Redis, or do not work properly.
@Suite struct MisbehavingServerTests {
    private static func run(
        _ change: (inout RedisConfiguration) -> Void = { _ in },
        _ body: (FakeServer, Client) async throws -> Void
    ) async throws {
        try await FakeServer.run { server in
            var configuration = RedisConfiguration.direct(RedisAddress(host: "127.0.0.1", port: server.port))
            change(&configuration)
            try await Client.run(configuration) { try await body(server, $0) }
        }
    }

    @Test func replyInSmallPiecesIsRead() async throws {
        try await Self.run { server, client in
            let peer = try await server.peers.next()
            for byte in "+PONG\r\n".utf8.enumerated() {
                if byte.offset == 0 { _ = try await peer.commands.next() }
                try await peer.drip(byte.element)
            }
            async let replies = client.redis.pipeline([RedisCommand("A"), RedisCommand("B")])
            _ = try await peer.commands.next()
            _ = try await peer.commands.next()
            for byte in "*2\r\n$4\r\na\r\nb\r\n*1\r\n:7\r\n-ERR no\r\n".utf8 {
                try await peer.drip(byte)
            }
            let first = RedisReply.array([.string(Array("a\r\nb".utf8)), .array([.integer(7)])])
            #expect(try await replies == [first, .error(code: "ERR", message: "ERR no")])
        }
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "%1\r\n+a\r\n+b\r\n", "$-7\r\n", "*2147483647\r\n"])
    func garbageClosesTheConnectionAndTheNextIsTried(garbage: String) async throws {
        try await Self.run { server, client in
            let first = try await server.peers.next()
            try await first.welcome()
            async let lost = client.failure(of: RedisCommand("GET", "key"))
            _ = try await first.commands.next()
            first.send(garbage)
            guard case .lostInFlight(let reason) = await lost else {
                Issue.record("not lost")
                return
            }
            #expect(reason.contains("does not speak RESP2"))
            await #expect(throws: EndOfStream.self) { try await first.commands.next() }
            let second = try await server.peers.next()
            try await second.welcome()
            try await client.backUp()
        }
    }

    @Test func garbageInsteadOfAHandshakeIsReported() async throws {
        try await Self.run { server, client in
            let peer = try await server.peers.next()
            peer.send("SSH-2.0-OpenSSH\r\n")
            let error = await client.failure(of: RedisCommand("PING"), timeout: .seconds(2))
            guard case .unavailable(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("does not speak RESP2"))
        }
    }

    @Test func unexpectedReplyClosesTheConnection() async throws {
        try await Self.run { server, client in
            let peer = try await server.peers.next()
            try await peer.welcome()
            try await client.up()
            peer.send("+OK\r\n")
            #expect(try await client.down().contains("an unexpected reply"))
        }
    }

    @Test func silentServerIsLeft() async throws {
        try await Self.run({ $0.connectTimeout = .milliseconds(200) }) { server, client in
            let silent = try await server.peers.next()
            #expect(try await silent.commands.next() == ["PING"])
            await #expect(throws: EndOfStream.self) { try await silent.commands.next() }
            // On a busy machine the next may be closed too: each one is completed.
            Task {
                while let peer = try? await server.peers.next() { try? await peer.welcome() }
            }
            try await client.up()
            #expect(client.redis.connectionNumber == 1)
        }
    }

    @Test(arguments: [
        "-LOADING Redis is loading the dataset in memory\r\n", "-MASTERDOWN Link with MASTER is down\r\n",
    ])
    func aServerThatIsNotReadyYetIsTriedAgain(answer: String) async throws {
        try await Self.run { server, client in
            async let reply = client.send("ECHO", "x")
            for _ in 0..<3 {
                let peer = try await server.peers.next()
                #expect(try await peer.commands.next() == ["PING"])
                peer.send(answer)
            }
            let peer = try await server.peers.next()
            try await peer.welcome()
            #expect(try await peer.commands.next() == ["ECHO", "x"])
            peer.send("+x\r\n")
            #expect(try await reply == .status("x"))
        }
    }

    @Test func demotedMasterIsLeftAfterTheLastReply() async throws {
        try await Self.run { server, client in
            let peer = try await server.peers.next()
            try await peer.welcome()
            async let replies = client.redis.pipeline([RedisCommand("INCR", "n"), RedisCommand("GET", "n")])
            _ = try await peer.commands.next()
            _ = try await peer.commands.next()
            peer.send("-READONLY You can't write against a read only replica.\r\n")
            #expect(try await client.down().contains("not the master any more"))
            async let waits = client.send("ECHO", "later")
            peer.send("$1\r\n1\r\n")
            let message = "READONLY You can't write against a read only replica."
            let expected: [RedisReply] = [.error(code: "READONLY", message: message), .string(Array("1".utf8))]
            #expect(try await replies == expected)
            let next = try await server.peers.next()
            try await next.welcome()
            #expect(try await next.commands.next() == ["ECHO", "later"])
            next.send("+later\r\n")
            #expect(try await waits == .status("later"))
        }
    }
}
