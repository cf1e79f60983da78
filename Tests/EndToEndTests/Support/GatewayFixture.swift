import Gateway
import Logging
import Synchronization
import Tenants
import TestSupport
import Testing
import Upstream
import Verification

/// A running gateway between a client and two backends, all on loopback.
final class GatewayFixture: Sendable {
    /// The backend of `app`.
    let backend: RecordingBackend
    /// A second backend, `{other}` in a setup.
    let other: RecordingBackend
    let issuer: TestIssuer
    let accessLog: AccessLog
    let log: LogCapture
    let address: HostPort
    /// The addresses of all listeners in order.
    let addresses: [HostPort]
    let adminAddress: HostPort?
    /// The ext_authz listener, if there is one.
    let extAuthzAddress: HostPort?

    private let gateway: Gateway
    private let values: [String: String]
    private let setup: Latest
    private let clients = Mutex<[RawClient]>([])
    private let secrets = Mutex<[String]>([TestIssuer.secret])

    fileprivate init(
        _ setup: GatewaySetup,
        script: BackendScript,
        values: [String: String],
        names: ServerNames,
        closed: ClosedPort,
        scratch: Scratch
    ) async throws {
        issuer = try TestIssuer.shared()
        backend = try await RecordingBackend.start(script)
        other = try await RecordingBackend.start(.ok)
        accessLog = AccessLog()
        log = LogCapture()
        let ordinary = [
            "backend": "http://127.0.0.1:\(backend.port)",
            "other": "http://127.0.0.1:\(other.port)",
            "nobody": "http://127.0.0.1:\(closed.port)",
            "jwks": try scratch.write(issuer.jwks, to: "jwks.json"),
        ]
        let values = ordinary.merging(values) { _, given in given }
        let configuration = try setup.configuration(values)
        let accessLog = accessLog
        let current = Latest(setup)
        self.values = values
        self.setup = current
        gateway = Gateway(
            configuration: configuration,
            logger: log.logger(),
            accessLog: .sink { accessLog.write($0) },
            sealingKeys: setup.sealingKeys.map { Secret($0) },
            reading: { request in current.value.withLock { $0 }.reading(values, request) },
            names: names
        )
        let bound = try await gateway.start()
        guard let first = bound.listeners.first else { throw Malformed("no listener") }
        address = first
        addresses = bound.listeners
        adminAddress = bound.admin
        extAuthzAddress = bound.extAuthz
    }

    // MARK: Clients

    /// A new connection to the gateway.
    func connect(receiveBuffer: Int? = nil) async throws -> RawClient {
        keep(RawClient(try await Wire.connect(to: address, receiveBuffer: receiveBuffer)))
    }

    /// Closes the client with the gateway.
    func keep(_ client: RawClient) -> RawClient {
        clients.withLock { $0.append(client) }
        return client
    }

    /// One request on a connection of its own.
    func send(_ raw: String, method: String = "GET") async throws -> RawResponse {
        try await RawClient.exchange(raw, method: method, at: address)
    }

    /// One request without a body on a connection of its own.
    ///
    /// - Parameter fields: Whole field lines, without their CRLF.
    func request(
        _ target: String,
        method: String = "GET",
        host: String = "app.test",
        token: String? = nil,
        fields: [String] = []
    ) async throws -> RawResponse {
        try await send(head(target, method: method, host: host, token: token, fields: fields), method: method)
    }

    /// The bytes of a request head.
    func head(
        _ target: String,
        method: String = "GET",
        host: String = "app.test",
        token: String? = nil,
        fields: [String] = []
    ) -> String {
        let authorization = token.map { ["Authorization: Bearer \($0)"] } ?? []
        let lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)"] + authorization + fields
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// One request to the admin listener.
    func admin(_ path: String, fields: [String] = []) async throws -> RawResponse {
        try await adminRequest("GET", path, fields: fields)
    }

    // MARK: Tokens

    /// A token of the gateway's identity provider; see ``TestIssuer/token(_:algorithm:key:keyID:header:)``.
    func token(
        _ claims: JSONObject = [:],
        algorithm: SignatureAlgorithm = .hs256,
        key: SigningKey? = nil,
        keyID: String? = nil,
        header: JSONObject = [:]
    ) throws -> String {
        keepSecret(try issuer.token(claims, algorithm: algorithm, key: key, keyID: keyID, header: header))
    }

    /// Registers a text that no log may contain.
    @discardableResult
    func keepSecret(_ text: String) -> String {
        secrets.withLock { $0.append(text) }
        return text
    }

    // MARK: Reloading

    /// The current tenants.yaml.
    private final class Latest: Sendable {
        let value: Mutex<GatewaySetup>

        init(_ setup: GatewaySetup) { value = Mutex(setup) }
    }

    /// Replaces tenants.yaml and reloads it.
    @discardableResult
    func reload(_ setup: GatewaySetup) async -> ReloadReport {
        self.setup.value.withLock { $0 = setup }
        return await gateway.reload(because: .signal)
    }

    /// Reloads the same setup, whose files may have changed.
    func reload() async -> ReloadReport { await gateway.reload(because: .signal) }

    /// Reloads and expects success.
    func change(_ setup: GatewaySetup, sourceLocation: SourceLocation = #_sourceLocation) async {
        let report = await reload(setup)
        #expect(report.result == .applied, "\(report.mistakes)", sourceLocation: sourceLocation)
    }

    // MARK: Closing

    func shutdown() async {
        await gateway.shutdown()
    }

    fileprivate func close() async {
        for client in clients.withLock({ $0 }) { await client.close() }
        await gateway.shutdown()
        await backend.stop()
        await other.stop()
    }

    /// Expects that backends saw no ambiguous message and that no log contains a secret.
    fileprivate func expectNoComplaintsOrSecrets() {
        #expect(backend.complaints == [])
        #expect(other.complaints == [])
        let logged = accessLog.text + log.text
        for secret in secrets.withLock({ $0 }) {
            // The signature alone is secret, the header is not.
            let telling = secret.split(separator: ".").last.map(String.init) ?? secret
            #expect(telling.isEmpty || !logged.contains(telling), "a secret is in a log")
        }
    }
}

/// Runs `test` with a gateway, which is closed afterwards.
///
/// - Parameters:
///   - values: Further values for `{name}` in the setup.
///   - names: The resolver for server names.
func withGateway(
    _ setup: GatewaySetup = GatewaySetup(),
    backend script: BackendScript = .ok,
    values: [String: String] = [:],
    names: ServerNames = .system,
    _ test: (GatewayFixture) async throws -> Void
) async throws {
    try await FixtureLimit.shared.withSlot {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let closed = try ClosedPort()
        let fixture = try await GatewayFixture(
            setup,
            script: script,
            values: values,
            names: names,
            closed: closed,
            scratch: scratch
        )
        try await attempt {
            try await test(fixture)
        } finally: {
            await fixture.close()
        }
        fixture.expectNoComplaintsOrSecrets()
        withExtendedLifetime(closed) {}
    }
}
