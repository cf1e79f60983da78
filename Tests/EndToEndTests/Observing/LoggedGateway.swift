import Demo
import Foundation
import NIOCore
import Synchronization
import Tenants
import TestSupport
import Testing
import Verification

/// The program in front of the sample apps, with a collector; all its output is recorded.
final class LoggedGateway: Sendable {
    static let adminToken = "the-admin-token-of-the-redaction-tests-0123456789"
    /// The token that customer's backend returns for a refresh.
    static let renewedToken: String = {
        let claims: JSONObject = [
            "iss": "https://api.umuve.example", "aud": "umuve-customer", "role": "customer",
            "sub": .string("user-\(ProviderUser.anna.subject)"), "jti": "renewed-of-anna",
            "exp": TestIssuer.fromNow(7 * 86_400),
        ]
        return (try? TestIssuer.shared().token(claims)) ?? ""
    }()

    let secrets = KnownSecrets()
    let standIn: ProviderStandIn
    private let instance: Instance
    private let process: ServerProcess
    private let collector: RecordingBackend
    private let lines = Mutex("")
    private let responses = Mutex<[String: [UInt8]]>([:])

    fileprivate init(
        _ instance: Instance,
        _ process: ServerProcess,
        _ collector: RecordingBackend,
        _ standIn: ProviderStandIn
    ) {
        self.instance = instance
        self.process = process
        self.collector = collector
        self.standIn = standIn
        secrets.keep("admin token", Self.adminToken)
        secrets.keep("signing secret", TestIssuer.secret)
        secrets.keep("sealing key", GatewaySetup.sampleSealingKey)
        secrets.keep("renewed token", Self.renewedToken)
        let lines = standIn.appleP8.split(separator: "\n").filter { !$0.hasPrefix("-") }
        if let line = lines.first { secrets.keep("private key", String(line)) }
    }

    func app(_ app: AppSetup) -> AppClient { instance.app(app.host) }

    var adminClient: AppClient { instance.adminClient }

    func keep(_ given: GivenTokens) -> GivenTokens {
        secrets.keep("access token", given.access)
        secrets.keep("refresh token", given.refresh)
        if let id = given.json["id_token"]?.string { secrets.keep("ID token", id) }
        return given
    }

    /// Sends a request to the admin listener and records the response under its path.
    func requestAdmin(_ method: String, _ target: String, _ body: JSONObject? = nil) async throws {
        let response = try await adminClient.request(
            method,
            target,
            token: Self.adminToken,
            fields: body == nil ? [] : ["Content-Type: application/json"],
            body: body.map { JSONWriter.text(of: .object($0)) }
        )
        let path = String(target.prefix { $0 != "?" })
        responses.withLock { $0[path, default: []] += response.body.bytes }
    }

    /// Reads the program's output until a line has `text`.
    fileprivate func read(until text: String) async throws {
        while true {
            let line = try await process.lines.next()
            lines.withLock { $0 += line + "\n" }
            if line.contains(text) { return }
        }
    }

    /// All output by its source, once the last request shows in it.
    func everythingWritten() async throws -> [String: [UInt8]] {
        _ = try await app(.customer).get("/the-last-request")
        try await read(until: "/the-last-request")
        var traces: [UInt8] = []
        while traces.isEmpty || Data(traces).range(of: Data("/the-last-request".utf8)) == nil {
            traces += try await collector.arrivals.next().body.bytes
        }
        var written = responses.withLock { $0 }
        written["output"] = Array(lines.withLock { $0 }.utf8)
        written["traces"] = traces
        return written
    }
}

/// Runs `test` with the program, which is stopped afterwards.
func withLoggedGateway(_ test: (LoggedGateway) async throws -> Void) async throws {
    let setup = AppSetup.fixture([.customer, .driver, .finance, .chat, .clans])
    try await withStandIn(setup) { standIn, values in
        try await FixtureLimit.shared.withSlot {
            let scratch = try Scratch()
            defer { scratch.remove() }
            let backend = try await RecordingBackend.start(refreshingBackend)
            let collector = try await RecordingBackend.start(.ok)
            let fixture: LoggedGateway
            let process: ServerProcess
            do {
                (fixture, process) = try await start(setup, values, backend, collector, standIn, scratch)
            } catch {
                await backend.stop()
                await collector.stop()
                throw error
            }
            var failure: (any Error)?
            do { try await test(fixture) } catch { failure = error }
            try await process.kill()
            await backend.stop()
            await collector.stop()
            if let failure { throw failure }
        }
    }
}

private func start(
    _ setup: GatewaySetup,
    _ values: [String: String],
    _ backend: RecordingBackend,
    _ collector: RecordingBackend,
    _ standIn: ProviderStandIn,
    _ scratch: Scratch
) async throws -> (LoggedGateway, ServerProcess) {
    let (port, adminPort) = (try await FreePort.find(), try await FreePort.find())
    var setup = setup
    setup.gateway += """

        listen: [ { address: "127.0.0.1:\(port)" } ]
        admin: { address: "127.0.0.1:\(adminPort)", token: "${GATEHOUSE_ADMIN_TOKEN}" }
        log: { level: trace, format: json, access: true, query: true }
        tracing: { otlp: "http://127.0.0.1:\(collector.port)", sample: 1 }
        """
    let all = values.merging([
        "backend": "http://127.0.0.1:\(backend.port)",
        "jwks": try scratch.write(try TestIssuer.shared().jwks, to: "jwks.json"),
    ]) { value, _ in value }
    let environment = [
        "TEST_SECRET": TestIssuer.secret, "GATEHOUSE_KEY": GatewaySetup.sampleSealingKey,
        "GATEHOUSE_ADMIN_TOKEN": LoggedGateway.adminToken,
    ]
    let process = try ServerProcess(
        try GatehouseProgram.path(),
        ["run", "--config", try scratch.write(setup.text(all), to: "tenants.yaml")],
        environment: environment
    )
    let instance = Instance(
        address: HostPort(host: "127.0.0.1", port: port),
        admin: HostPort(host: "127.0.0.1", port: adminPort)
    )
    let fixture = LoggedGateway(instance, process, collector, standIn)
    do {
        try await fixture.read(until: "admin listening")
        try await until("the program is ready") { try await instance.readiness().status == 200 }
    } catch {
        try await process.kill()
        throw error
    }
    return (fixture, process)
}

/// The apps' backends; customer's rejects a token on one path, and refreshes it.
private let refreshingBackend = BackendScript { exchange in
    switch exchange.head.path {
    case "/api/expired":
        try await exchange.body()
        let isRenewed = exchange.head.fields["Authorization"] == ["Bearer \(LoggedGateway.renewedToken)"]
        if isRenewed { return try await exchange.sendOK() }
        try await exchange.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
    case "/api/auth/refresh":
        try await exchange.body()
        try await exchange.sendOK(JSONWriter.text(of: ["token": .string(LoggedGateway.renewedToken)]))
    default: try await AppBackend.script.run(exchange)
    }
}
