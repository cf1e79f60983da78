import Gateway
import NIOCore
import Synchronization
import Tenants
import TestSupport
import Testing
import Verification

/// Several gateways of one fleet in front of one backend. Those in this process start quickly; those in processes of
/// their own can be killed.
final class Instances: Sendable {
    private struct Ends: Sendable {
        var gateways: [Gateway] = []
        var processes: [ServerProcess] = []
        var tokens: [String] = []
    }

    let backend: RecordingBackend
    let issuer: TestIssuer
    let log = LogCapture()
    private let setup: GatewaySetup
    private let values: [String: String]
    private let scratch: Scratch
    private let ends = Mutex(Ends())

    fileprivate init(_ setup: GatewaySetup, _ script: BackendScript, _ scratch: Scratch) async throws {
        self.setup = setup
        self.scratch = scratch
        issuer = try TestIssuer.shared()
        backend = try await RecordingBackend.start(script)
        values = [
            "backend": "http://127.0.0.1:\(backend.port)",
            "jwks": try scratch.write(issuer.jwks, to: "jwks.json"),
        ]
    }

    // MARK: Starting

    /// One more gateway in this process.
    ///
    /// - Parameter store: As in `gateway.store`.
    func start(_ store: String) async throws -> Instance {
        var setup = setup
        setup.gateway += "\nstore: \"\(store)\""
        let gateway = Gateway(
            configuration: try setup.configuration(values),
            logger: log.logger(),
            accessLog: .sink { _ in },
            sealingKeys: setup.sealingKeys.map { Secret($0) },
            reading: { [setup, values] request in setup.reading(values, request) }
        )
        let bound = try await gateway.start()
        ends.withLock { $0.gateways.append(gateway) }
        guard let address = bound.listeners.first, let admin = bound.admin else { throw Malformed("no listener") }
        return Instance(address: address, admin: admin)
    }

    /// One more gateway in a process of its own.
    func startProcess(_ store: String) async throws -> InstanceProcess {
        let (port, adminPort) = (try await FreePort.find(), try await FreePort.find())
        var setup = setup
        setup.gateway += """

            listen: [ { address: "127.0.0.1:\(port)" } ]
            admin: { address: "127.0.0.1:\(adminPort)" }
            store: "\(store)"
            """
        let file = try scratch.write(setup.text(values), to: "tenants-\(port).yaml")
        let instance = Instance(
            address: HostPort(host: "127.0.0.1", port: port),
            admin: HostPort(host: "127.0.0.1", port: adminPort)
        )
        let process = InstanceProcess(instance, file: file, sealingKeys: setup.sealingKeys) { process in
            self.ends.withLock { $0.processes.append(process) }
        }
        try await process.start()
        return process
    }

    // MARK: Tokens

    /// A token of the gateway's identity provider, which no store may contain.
    ///
    /// - Parameter key: Nil: the default key of the algorithm.
    func token(
        _ claims: JSONObject = [:],
        algorithm: SignatureAlgorithm = .hs256,
        key: SigningKey? = nil
    ) throws -> String {
        let token = try issuer.token(claims, algorithm: algorithm, key: key)
        ends.withLock { $0.tokens.append(token) }
        return token
    }

    /// One for each subject.
    func tokens(of subjects: [String]) throws -> [String] {
        try subjects.map { try token(["sub": .string($0)]) }
    }

    /// Expects that the store contains no token and no usable part of one.
    func expectNoTokens(in server: RedisServer) async throws {
        let everything = try await RedisReader.everything(in: server)
        let signatures = ends.withLock { $0.tokens }.compactMap { $0.split(separator: ".").last.map(String.init) }
        #expect(!everything.isEmpty, "an empty store proves nothing")
        for (name, values) in everything {
            #expect(name.hasPrefix("gatehouse:"))
            for text in [name] + values {
                // The start of a token's payload: an object in base64url.
                #expect(!text.contains(".eyJ"), "\(name) holds something like a token")
                #expect(!signatures.contains(where: text.contains), "\(name) holds a signature")
            }
        }
    }

    fileprivate func close() async {
        let ends = ends.withLock { $0 }
        for gateway in ends.gateways { await gateway.shutdown() }
        for process in ends.processes { try? await process.kill() }
        await backend.stop()
    }
}

/// Runs `test` with a fleet, which is stopped afterwards.
func withInstances(
    _ setup: GatewaySetup = GatewaySetup(),
    backend script: BackendScript = .ok,
    _ test: (Instances) async throws -> Void
) async throws {
    try await FixtureLimit.shared.withSlot {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let instances = try await Instances(setup, script, scratch)
        try await attempt {
            try await test(instances)
        } finally: {
            await instances.close()
        }
        #expect(instances.backend.complaints == [])
    }
}
