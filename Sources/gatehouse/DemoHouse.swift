import Demo
import Gateway
import Logging
import Tenants

/// The sample backends with the gateway in front, all running.
struct DemoHouse {
    private let backends: SampleBackends
    private let gateway: Gateway
    private let addresses: BoundAddresses
    private let adminToken: String

    /// Starts the backends, then the gateway on the example configuration.
    ///
    /// - Parameters:
    ///   - port: The gateway's; nil: the example's, or a free one.
    ///   - freePorts: Whether all ports but a given one are any that are free.
    static func start(port: Int?, freePorts: Bool, logger: Logger) async throws -> DemoHouse {
        let secrets = try DemoSecrets.generate()
        var configuration = try ExampleConfiguration.read(secrets)
        // The sample apps forget everything at the end too.
        configuration.gateway.store = .memory
        let ports = freePorts ? SampleBackendPorts.free : .standard
        if freePorts {
            configuration.gateway.admin?.address.port = 0
            configuration.gateway.listeners[0].address.port = 0
        }
        if let port { configuration.gateway.listeners[0].address.port = port }
        try DemoPorts.checkFree(configuration.gateway, backends: ports)

        let issuer = DemoIssuer()
        let backends = try SampleBackends(keys: secrets.keys, logger: logger, now: WallClock.now) {
            try await issuer.startSession(tenant: $0.rawValue, subject: $1, claims: $2)
        }
        let bound: SampleBackendPorts
        do {
            bound = try await backends.start(ports: ports)
        } catch {
            throw CommandFailure("the sample backends did not start: \(error)")
        }
        for index in configuration.tenants.indices {
            DemoPorts.move(&configuration.tenants[index].backend, from: .standard, to: bound)
        }
        let files = MemoryFiles(content: secrets.files)
        let gateway = Gateway(configuration: configuration, logger: logger, files: files)
        do {
            let addresses = try await gateway.start()
            issuer.use(gateway)
            return DemoHouse(
                backends: backends,
                gateway: gateway,
                addresses: addresses,
                adminToken: secrets.adminToken
            )
        } catch {
            await backends.shutdown()
            throw CommandFailure(gateway: configuration.gateway, error)
        }
    }

    /// What to try, with fresh tokens.
    func guide() async throws -> DemoGuide {
        guard let listener = addresses.listeners.first, let admin = addresses.admin else {
            throw CommandFailure("the example configuration lacks a listener or an admin address")
        }
        return try await DemoGuide(gateway: listener, admin: admin, adminToken: adminToken) {
            [backends] app, role, expiredFor in
            let email = "alice@\(app.rawValue).example"
            return try await backends.signIn(app, email: email, role: role, expiredFor: expiredFor)
        }
    }

    /// Lets requests under way finish and frees every port.
    func shutdown() async {
        await gateway.shutdown()
        await backends.shutdown()
    }
}
