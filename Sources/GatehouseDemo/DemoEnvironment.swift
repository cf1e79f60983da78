import CommandSupport
import Demo
import Gateway
import Logging
import Tenants

/// The running demo: the sample backends behind the gateway, and the stand-in for Apple and Google.
struct DemoEnvironment {
    private let backends: SampleBackends
    private let standIn: ProviderStandIn
    private let gateway: Gateway
    private let addresses: BoundAddresses
    private let adminToken: String
    /// Closed at first.
    let log: DemoLog

    /// Starts the backends and the stand-in, then the gateway on the example configuration.
    ///
    /// - Parameters:
    ///   - port: The gateway's; nil for the example's, or a free one.
    ///   - freePorts: Whether to use any free ports, except for a given one.
    static func start(port: Int?, freePorts: Bool, logger: Logger) async throws -> DemoEnvironment {
        let secrets = try DemoSecrets.generate()
        var configuration = try ExampleConfiguration.read(secrets)
        // The sample apps keep nothing after the end either.
        configuration.gateway.store = .memory
        let ports = freePorts ? SampleBackendPorts.free : .example
        if freePorts {
            configuration.gateway.admin?.address.port = 0
            configuration.gateway.listeners[0].address.port = 0
        }
        if let port { configuration.gateway.listeners[0].address.port = port }
        try DemoPorts.checkFree(configuration.gateway, backends: ports)

        let backends = try SampleBackends(keys: secrets.keys, logger: logger, now: WallClock.now)
        let standIn = ProviderStandIn(keys: secrets.providerKeys, logger: logger, now: WallClock.now)
        let bound: SampleBackendPorts
        do {
            bound = try await backends.start(ports: ports)
            try await standIn.start()
        } catch {
            await backends.shutdown()
            throw CommandFailure("the sample backends did not start: \(error)")
        }
        for index in configuration.tenants.indices {
            DemoPorts.move(&configuration.tenants[index].backend, from: .example, to: bound)
            standIn.apply(to: &configuration.tenants[index])
        }
        let log = DemoLog()
        let gateway = Gateway(
            configuration: configuration,
            logger: logger,
            accessLog: .sink { log.write($0) },
            sealingKeys: secrets.sealingKey,
            files: MemoryFiles(content: secrets.files)
        )
        do {
            return DemoEnvironment(
                backends: backends,
                standIn: standIn,
                gateway: gateway,
                addresses: try await gateway.start(),
                adminToken: secrets.adminToken,
                log: log
            )
        } catch {
            await standIn.shutdown()
            await backends.shutdown()
            throw CommandFailure(gateway: configuration.gateway, error)
        }
    }

    /// The lines to try, with fresh tokens.
    func guide() async throws -> DemoGuide {
        guard let listener = addresses.listeners.first, let admin = addresses.admin else {
            throw CommandFailure("the example configuration lacks a listener or an admin address")
        }
        let providers = DemoProviders(standIn: standIn)
        let sessions = DemoSessions(backends: backends, providers: providers, gateway: listener)
        let customer = try providers.appleExchange(for: .customer, user: DemoTenant.registeredCustomer)
        try await sessions.register(customer, in: .customer)
        return try await DemoGuide(gateway: listener, admin: admin, adminToken: adminToken, providers: providers) {
            try await sessions.begin($0, role: $1, expiredFor: $2)
        }
    }

    /// Lets requests under way finish and frees every port.
    func shutdown() async {
        await gateway.shutdown()
        await standIn.shutdown()
        await backends.shutdown()
    }
}
