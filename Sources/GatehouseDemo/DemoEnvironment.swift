import CommandSupport
import Demo
import Gateway
import Logging
import Tenants
import Verification

/// The running demo: the sample backends and the start page behind the gateway, and the stand-in for Apple and Google.
struct DemoEnvironment {
    private let servers: DemoServers
    private let gateway: Gateway
    private let sessions: DemoSessions
    private let tokens: DemoTokens
    private let adminToken: String
    let welcome: DemoWelcome
    /// Closed at first.
    let log: DemoLog

    /// Starts the backends and the stand-in, then the gateway on the example configuration.
    ///
    /// - Parameters:
    ///   - port: The gateway's; nil for the example's, or a free one.
    ///   - freePorts: Whether to use any free ports, except for a given one.
    ///   - tokensFile: Where to write the tokens for shells; nil for nowhere.
    ///   - onEvent: Called with each event that the webhook is told.
    static func start(
        port: Int?,
        freePorts: Bool,
        tokensFile: TokensFile?,
        logger: Logger,
        onEvent: @escaping @Sendable (JSONObject) -> Void = { _ in }
    ) async throws -> DemoEnvironment {
        let secrets = try DemoSecrets.generate()
        var configuration = try ExampleConfiguration.read(secrets)
        // The sample apps keep nothing after the end either.
        configuration.gateway.store = .memory
        let reservations = try DemoPorts.choose(&configuration, port: port, freePorts: freePorts)
        let ports = freePorts ? SampleBackendPorts.free : .example
        try DemoPorts.checkFree(configuration.gateway, backends: ports)
        guard let listener = configuration.gateway.listeners.first?.address,
            let admin = configuration.gateway.admin?.address
        else { throw CommandFailure("the example configuration lacks a listener or an admin address") }

        let tokens = DemoTokens(adminToken: secrets.adminToken, file: tokensFile)
        let servers = try DemoServers(secrets, logger: logger, onEvent: onEvent)
        let sessions = DemoSessions(
            backends: servers.backends,
            providers: DemoProviders(standIn: servers.standIn),
            gateway: listener
        )
        let adminAPI = DemoAdminAPI(address: admin, token: secrets.adminToken)
        let trials = TrialRunner(
            sessions: sessions,
            tokens: tokens,
            admin: adminAPI,
            signals: servers.signals,
            former: servers.former,
            tokensFile: tokensFile?.path
        )
        let startPage = StartRoutes(
            trials: trials,
            webhook: servers.webhook,
            companyClientSecret: secrets.companyClientSecret,
            gateway: listener
        )
        try await servers.start(&configuration, ports: ports, startPage: startPage)
        let log = DemoLog()
        let gateway = Gateway(
            configuration: configuration,
            logger: logger,
            accessLog: .sink { log.write($0) },
            sealingKeys: secrets.sealingKey,
            files: MemoryFiles(content: secrets.files)
        )
        do {
            _ = try await gateway.start()
        } catch {
            await servers.shutdown()
            throw CommandFailure(gateway: configuration.gateway, error)
        }
        withExtendedLifetime(reservations) {}
        return DemoEnvironment(
            servers: servers,
            gateway: gateway,
            sessions: sessions,
            tokens: tokens,
            adminToken: secrets.adminToken,
            welcome: DemoWelcome(gateway: listener, admin: admin, tokensFile: tokensFile?.path),
            log: log
        )
    }

    /// Signs the demo's user in to every app, and writes the tokens file.
    func signIn() async throws {
        for app in SampleAppName.allCases {
            try await tokens.set(sessions.begin(app, role: nil, expiredFor: nil), of: app)
            try await tokens.setExpired(sessions.begin(app, role: nil, expiredFor: DemoSessions.hour), of: app)
        }
    }

    /// The lines to try, with fresh tokens.
    func guide() async throws -> DemoGuide {
        let customer = try sessions.providers.appleExchange(for: .customer, user: DemoTenant.registeredCustomer)
        try await sessions.register(customer, in: .customer)
        return try await DemoGuide(
            gateway: welcome.gateway,
            admin: welcome.admin,
            adminToken: adminToken,
            providers: sessions.providers
        ) {
            try await sessions.begin($0, role: $1, expiredFor: $2)
        }
    }

    /// Lets requests under way finish, frees every port and removes the tokens file.
    func shutdown() async {
        await gateway.shutdown()
        await servers.shutdown()
        await tokens.removeFile()
    }
}
