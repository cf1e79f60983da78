import CommandSupport
import Demo
import Logging
import Tenants
import Verification

/// What is behind the gateway in a demo run, or beside it.
struct DemoServers: Sendable {
    let backends: SampleBackends
    let standIn: ProviderStandIn
    private let company: CompanyStandIn
    private let startPage: LoopbackServer
    /// Told of the gateway's events, at the start page's server.
    let webhook: EventWebhook
    /// Reports stolen accounts.
    let signals: SignalStandIn
    let former: FormerIssuer
    private let webhookSecret: Secret

    /// - Parameter onEvent: Called with each event that the webhook is told.
    init(_ secrets: DemoSecrets, logger: Logger, onEvent: @escaping @Sendable (JSONObject) -> Void) throws {
        webhookSecret = secrets.webhookSecret
        webhook = EventWebhook(key: secrets.webhookSecret.bytes, now: WallClock.now, onEvent: onEvent)
        signals = SignalStandIn(key: secrets.signalKey, now: WallClock.now)
        former = FormerIssuer(key: secrets.keys.formerKey, now: WallClock.now)
        backends = try SampleBackends(keys: secrets.keys, logger: logger, now: WallClock.now)
        standIn = ProviderStandIn(keys: secrets.providerKeys, logger: logger, now: WallClock.now)
        company = CompanyStandIn(
            key: try SigningKey.generate(.p256),
            algorithm: .es256,
            stranger: try SigningKey.generate(.p256),
            logger: logger,
            now: WallClock.now
        )
        startPage = LoopbackServer(name: "start-page", logger: logger)
    }

    /// Starts them all, and makes the tenants use them.
    func start(
        _ configuration: inout TenantsConfiguration,
        ports: SampleBackendPorts,
        startPage routes: StartRoutes
    ) async throws {
        do {
            let bound = try await backends.start(ports: ports)
            try await standIn.start(port: ports == .example ? DemoPorts.provider : 0)
            try await company.start(port: ports == .example ? DemoPorts.company : 0)
            let startPort = try await startPage.start(routes.makeRouter(), port: 0)
            configuration.gateway.events = EventSettings(
                url: "http://127.0.0.1:\(startPort)\(EventWebhook.path)",
                secrets: [webhookSecret],
                types: EventType.allCases
            )
            for index in configuration.tenants.indices {
                if [ExampleConfiguration.start, CompanyApp.name].contains(configuration.tenants[index].name) {
                    configuration.tenants[index].backends[0].servers[0].address.port = startPort
                }
                DemoPorts.move(&configuration.tenants[index].backends[0], from: .example, to: bound)
                standIn.apply(to: &configuration.tenants[index])
                company.apply(to: &configuration.tenants[index])
            }
        } catch {
            await shutdown()
            throw CommandFailure("the sample backends did not start: \(error)")
        }
    }

    func shutdown() async {
        await startPage.shutdown()
        await company.shutdown()
        await standIn.shutdown()
        await backends.shutdown()
    }
}
