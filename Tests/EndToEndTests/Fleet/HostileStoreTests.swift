import Redis
import TestSupport
import Testing
import Verification

/// Overwritten Redis keys: requests go on, acknowledged revocations stay in force, revoking is refused, and everything
/// recovers without a restart once the key is gone.
@Suite(.serialized) struct HostileStoreTests {
    private static let overwritten = [
        RedisCommand("SET", "gatehouse:changes", "text"), RedisCommand("SET", "gatehouse:changes:count", "many"),
        RedisCommand("SET", "gatehouse:{app}:revocations", "text"),
    ]

    @Test(arguments: overwritten)
    func overwrittenKeyRefusesRevokingAndNothingElse(_ command: RedisCommand) async throws {
        try await RedisServer.run { server in
            try await Self.expectRecovery(server, server.url, overwriting: command)
        }
    }

    @Test func overwrittenKeyBehindSentinelsRefusesRevokingAndNothingElse() async throws {
        try await SentinelSet.run(replicas: 2) { set in
            try await Self.expectRecovery(set.master, set.url, overwriting: Self.overwritten[0])
        }
    }

    @Test func overwrittenKeyOverTLSRefusesRevokingAndNothingElse() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let authority = try TestAuthority.trusted.get()
        let certificate = try authority.server("127.0.0.1")
        let caFile = try scratch.write(try authority.pem(), to: "ca.pem")
        let port = try await FreePort.find()
        let options = [
            "tls-port \(port)", "tls-auth-clients no", "tls-ca-cert-file \(caFile)",
            "tls-cert-file \(try scratch.write(certificate.certificate, to: "redis.pem"))",
            "tls-key-file \(try scratch.write(certificate.key, to: "redis.key"))",
        ]
        try await RedisServer.run(options) { server in
            let url = "rediss://127.0.0.1:\(port)?ca_file=\(caFile)"
            try await Self.expectRecovery(server, url, overwriting: Self.overwritten[0])
        }
    }

    private static func expectRecovery(
        _ server: RedisServer,
        _ url: String,
        overwriting command: RedisCommand
    ) async throws {
        try await withInstances { fleet in
            let (first, second) = (try await fleet.start(url), try await fleet.start(url))
            let (good, revoked) = (try fleet.token(["sub": "good"]), try fleet.token(["sub": "revoked"]))
            try await expectRevoked(["subject": "revoked"], by: first)
            try await second.awaitRefusal(of: revoked)
            let keys = ["gatehouse:changes", "gatehouse:changes:count", "gatehouse:{app}:revocations"]
            for key in keys { try await server.send(RedisCommand("DEL", key)) }
            try await server.send(command)
            try await until("revoking is refused") {
                let response = try await first.revoke(["subject": "too-late"])
                if response.status == 200 { try await server.send(command) }
                return response.status == 503 && AdminProblemDocument(response)?.code == "store_unavailable"
            }
            for instance in [first, second] {
                #expect(try await !instance.refuses(good))
                #expect(try await instance.refuses(revoked))
            }
            for key in keys { try await server.send(RedisCommand("DEL", key)) }
            try await until("revoking works") { try await first.revoke(["subject": "late"]).status == 200 }
            let late = try fleet.token(["sub": "late"])
            try await second.awaitRefusal(of: late)
            // Their revocations are restored for new instances.
            let third = try await fleet.start(url)
            for instance in [first, second, third] {
                try await instance.awaitRefusal(of: revoked)
                try await instance.awaitRefusal(of: late)
                #expect(try await !instance.refuses(good))
            }
        }
    }
}
