import Foundation
import Gateway
import Logging
import Tenants
import TestSupport
import Verification

/// A running gateway whose metrics and traces are checked, with a Python backend and a trace collector.
///
/// Its tenant `app` on `app.test` refreshes its tokens at the backend; anyone may ask for `/open`.
final class ObservingFixture: Sendable {
    let backendPort: String
    let collector: RunningProgram
    /// On loopback.
    let port: Int
    let adminPort: Int
    fileprivate let gateway: Gateway

    fileprivate init(
        backendPort: String,
        collector: RunningProgram,
        collectorPort: String,
        sample: Double,
        trusted: String
    ) async throws {
        self.backendPort = backendPort
        self.collector = collector
        gateway = Gateway(
            configuration: try Self.configuration(backendPort, collectorPort, sample, trusted),
            logger: Logger(label: "observing") { _ in SwiftLogNoOpLogHandler() },
            accessLog: .discard
        )
        let addresses = try await gateway.start()
        guard let listener = addresses.listeners.first, let admin = addresses.admin else {
            throw Program.Failure("no listener")
        }
        (port, adminPort) = (listener.port, admin.port)
    }

    /// The Python that has the libraries of `observing.txt`.
    static func python() async throws -> Program {
        let make = Program(path: repository("scripts/test-environment"), package: "bash")
        let path = try await make.succeed([]).trimmingCharacters(in: .whitespacesAndNewlines)
        return Program(path: path, package: "python3-venv")
    }

    /// The path of a file of the repository.
    static func repository(_ path: String) -> String {
        URL(fileURLWithPath: Program.script("metrics")).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(path).path
    }

    /// - Parameter id: A value that makes the token unique.
    static func token(_ id: String) throws -> String {
        try SharedSecret.token(["aud": "app", "jti": .string(id)])
    }

    /// Sends a request with curl. Returns the body.
    func get(_ target: String, token: String? = nil, fields: [String] = []) async throws -> String {
        let all = ["Host: app.test"] + (token.map { ["Authorization: Bearer \($0)"] } ?? []) + fields
        return try await Program.curl.succeed(
            ["--silent", "--max-time", "20", "http://127.0.0.1:\(port)\(target)"] + all.flatMap { ["--header", $0] }
        )
    }

    func metrics(accept: String = "*/*") async throws -> String {
        let url = "http://127.0.0.1:\(adminPort)/metrics"
        return try await Program.curl.succeed(["--silent", "--fail", "--header", "Accept: \(accept)", url])
    }

    private static func configuration(
        _ backendPort: String,
        _ collectorPort: String,
        _ sample: Double,
        _ trusted: String
    ) throws -> TenantsConfiguration {
        let text = """
            version: 1
            gateway:
              listen: [ { address: "127.0.0.1:0" } ]
              admin: { address: "127.0.0.1:0" }
              threads: 1
              store: "memory:"
              trusted_proxies: [\(trusted)]
              shutdown_grace: 1s
              log: { access: false }
              tracing: { otlp: "http://127.0.0.1:\(collectorPort)", sample: \(sample) }
            tenants:
              app:
                hosts: [app.test]
                backend: { servers: ["http://127.0.0.1:\(backendPort)"] }
                authenticate:
                  from: [bearer]
                  issuers:
                    - { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${SECRET}" }
                access: [ { path: /open/**, allow: anyone } ]
                refresh:
                  on_401: true
                  call: { method: POST, path: /refresh, send: bearer, access_token: /token }
                  deliver: { header: X-Refreshed-Token }
            """
        return try TenantsConfiguration.reading(text)
    }
}

/// Runs `test` with a gateway and the token that a refresh returns; the gateway is closed afterwards.
///
/// - Parameters:
///   - sample: The share of requests that are traced.
///   - trusts: Whether loopback is a trusted proxy.
///   - refusals: How many messages the collector refuses at first.
func withObservingFixture(
    sample: Double = 1,
    trusts: Bool = false,
    refusals: Int = 0,
    _ test: (_ fixture: ObservingFixture, _ renewed: String) async throws -> Void
) async throws {
    let renewed = try ObservingFixture.token("renewed")
    let backend = try Program.python.start([Program.script("observed_backend"), renewed])
    let collector = try await ObservingFixture.python().start([Program.script("collector"), "\(refusals)"])
    try await attempt {
        let fixture = try await ObservingFixture(
            backendPort: try await backend.line(),
            collector: collector,
            collectorPort: try await collector.line(),
            sample: sample,
            trusted: trusts ? "127.0.0.1" : ""
        )
        try await attempt {
            try await test(fixture, renewed)
        } finally: {
            await fixture.gateway.shutdown()
        }
    } finally: {
        await collector.stop()
        await backend.stop()
    }
}
