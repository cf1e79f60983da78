import Logging
import NIOPosix
import Redis
import TestSupport
import Testing

@Suite struct TLSTests {
    /// Runs `body` with the port where a server listens for TLS.
    private static func run(
        _ options: [String] = [],
        _ body: (Int, CertificateFolder) async throws -> Void
    ) async throws {
        let certificates = try CertificateFolder.forRedis()
        let port = try await FreePort.find()
        let lines = [
            "tls-port \(port)", "tls-ca-cert-file \(certificates.file("authority.pem"))",
            "tls-cert-file \(certificates.file("server.pem"))", "tls-key-file \(certificates.file("server.key"))",
        ]
        try await RedisServer.run(lines + options) { _ in try await body(port, certificates) }
    }

    private static func configuration(_ port: Int, host: String, _ tls: RedisTLS) -> RedisConfiguration {
        var configuration = RedisConfiguration.direct(RedisAddress(host: host, port: port))
        configuration.tls = tls
        return configuration
    }

    /// The error of a client that cannot connect.
    private static func reason(_ configuration: RedisConfiguration) async throws -> String {
        var reason = ""
        try await Client.run(configuration) { client in
            switch await client.failure(of: RedisCommand("PING"), timeout: .seconds(2)) {
            case .unavailable(let text): reason = text
            case let other: Issue.record("\(String(describing: other))")
            }
        }
        return reason
    }

    @Test func serverIsVerifiedByNameAndAddress() async throws {
        try await Self.run(["tls-auth-clients no"]) { port, certificates in
            for host in ["localhost", "127.0.0.1"] {
                let tls = RedisTLS(caFile: certificates.file("authority.pem"))
                try await Client.run(Self.configuration(port, host: host, tls)) { (client: Client) async throws in
                    let value = [UInt8](repeating: 7, count: 300_000)
                    #expect(try await client.send("SET", "key", value) == .status("OK"))
                    #expect(try await client.send("GET", "key") == .string(value))
                }
            }
            let named = RedisTLS(caFile: certificates.file("authority.pem"), serverName: "localhost")
            try await Client.run(Self.configuration(port, host: "127.0.0.1", named)) {
                (client: Client) async throws in
                #expect(try await client.send("PING") == .status("PONG"))
            }
        }
    }

    @Test func clientCertificateIsSent() async throws {
        try await Self.run(["tls-auth-clients yes"]) { port, certificates in
            var tls = RedisTLS(caFile: certificates.file("authority.pem"))
            #expect(try await !Self.reason(Self.configuration(port, host: "localhost", tls)).isEmpty)
            tls.certificateFile = certificates.file("client.pem")
            tls.keyFile = certificates.file("client.key")
            try await Client.run(Self.configuration(port, host: "localhost", tls)) { (client: Client) async throws in
                #expect(try await client.send("PING") == .status("PONG"))
            }
        }
    }

    @Test func untrustedCertificateIsRefused() async throws {
        try await Self.run(["tls-auth-clients no"]) { port, certificates in
            let stranger = RedisTLS(caFile: certificates.file("stranger.pem"))
            let reason = try await Self.reason(Self.configuration(port, host: "localhost", stranger))
            #expect(reason.contains("TLS") && reason.contains("CERTIFICATE_VERIFY_FAILED"))
            let system = try await Self.reason(Self.configuration(port, host: "localhost", RedisTLS()))
            #expect(system.contains("CERTIFICATE_VERIFY_FAILED"))
        }
    }

    @Test func certificateForAnotherNameIsRefused() async throws {
        try await Self.run(["tls-auth-clients no"]) { port, certificates in
            // It is for the address of the connection, not for the configured name.
            let tls = RedisTLS(caFile: certificates.file("authority.pem"), serverName: "redis.test")
            let reason = try await Self.reason(Self.configuration(port, host: "localhost", tls))
            #expect(reason.contains("TLS") && reason.contains("redis.test"))
        }
    }

    @Test func plainServerIsDistinguishedFromATLSServer() async throws {
        try await RedisServer.run { server in
            var configuration = RedisConfiguration.direct(server.address)
            configuration.tls = RedisTLS()
            configuration.connectTimeout = .milliseconds(200)
            let reason = try await Self.reason(configuration)
            #expect(reason.contains("the TLS handshake was not finished in time"))
        }
    }

    @Test func unusableFileIsReportedBeforeConnecting() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let empty = try scratch.write("nothing", to: "empty.pem")
        let settings = [
            RedisTLS(caFile: empty), RedisTLS(caFile: "/nowhere/ca.pem"),
            RedisTLS(certificateFile: empty, keyFile: empty),
        ]
        for tls in settings {
            var configuration = RedisConfiguration(servers: .direct([]))
            configuration.tls = tls
            do throws(RedisError) {
                _ = try RedisClient(
                    configuration,
                    eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
                    logger: .silent
                )
                Issue.record("taken")
            } catch {
                guard case .unusable(let reason) = error else {
                    Issue.record("\(error)")
                    continue
                }
                #expect(reason.contains(tls.caFile ?? empty))
            }
        }
        var half = RedisConfiguration(servers: .direct([]))
        half.tls = RedisTLS(certificateFile: empty)
        #expect(throws: RedisError.self) {
            try RedisClient(half, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: .silent)
        }
    }
}
