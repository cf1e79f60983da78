import Hummingbird
public import Logging
import ServiceLifecycle
public import Time
public import Verification

/// The four backends of the five sample apps, on loopback: customer and driver share one.
///
/// They implement the endpoints of their apps (sign-in, refresh, logout and user info if these are the backend's, a
/// protected resource), return the identity fields that they received, and fail on demand. All state is in memory and
/// bounded.
public actor SampleBackends {
    private let apps: [any SampleApp]
    private let umuve: UmuveBackend
    private let finance: FinanceBackend
    private let chat: ChatBackend
    private let clans: ClansBackend
    private let logger: Logger
    private var running: (group: ServiceGroup, task: Task<Void, any Error>)?

    /// - Parameters:
    ///   - keys: The signing keys of each app's tokens.
    /// - Throws: When a secret is too short or a key is of another kind.
    public init(
        keys: SampleKeys,
        logger: Logger,
        now: @escaping @Sendable () -> UnixTime
    ) throws(KeySetError) {
        umuve = UmuveBackend(key: try AppKey(secret: keys.umuveSecret), now: now)
        finance = FinanceBackend(key: try AppKey(secret: keys.financeSecret), now: now)
        chat = ChatBackend(key: try AppKey(.es256, keys.chatKey), now: now)
        clans = ClansBackend(key: try AppKey(.rs256, keys.clansKey), now: now)
        apps = [umuve, finance, chat, clans]
        self.logger = logger
    }

    /// Listens on every port, and returns the ports once all accept connections.
    ///
    /// - Throws: Why a port could not be bound; then none is open.
    public func start(ports: SampleBackendPorts) async throws -> SampleBackendPorts {
        let (bound, continuation) = AsyncThrowingStream<(app: Int, port: Int), any Error>.makeStream()
        let services = zip(apps, ports.inOrder).enumerated().map { index, entry in
            application(entry.0, port: entry.1) { continuation.yield((index, $0)) }
        }
        var configuration = ServiceGroupConfiguration(services: services, logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        let group = ServiceGroup(configuration: configuration)
        let task = Task {
            do {
                try await group.run()
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
                throw error
            }
        }
        running = (group, task)
        var found = ports.inOrder
        var missing = Set(found.indices)
        for try await (app, port) in bound {
            found[app] = port
            missing.remove(app)
            if missing.isEmpty { break }
        }
        return SampleBackendPorts(umuve: found[0], finance: found[1], chat: found[2], clans: found[3])
    }

    /// Lets requests under way finish, for at most five seconds, and frees the ports.
    public func shutdown() async {
        guard let running else { return }
        self.running = nil
        await running.group.triggerGracefulShutdown()
        // The result does not matter after a requested end.
        _ = await running.task.result
    }

    /// The access token that a user of `app` gets at its sign-in.
    ///
    /// - Parameters:
    ///   - role: Only for the customer and the driver app; nil for the app's own.
    ///   - seconds: How long ago it expired; nil for a valid one.
    /// - Returns: Nil for the apps whose users the gateway signs in.
    public nonisolated func accessToken(
        _ app: SampleAppName,
        email: String,
        role: String? = nil,
        expiredFor seconds: Int? = nil
    ) throws -> String? {
        switch app {
        case .customer, .driver:
            let user = SampleUser(email: email, role: role ?? app.rawValue)
            let audience = app == .driver ? UmuveBackend.driverAudience : UmuveBackend.customerAudience
            return try umuve.token(for: user, audience, expiredFor: seconds)
        case .finance: return try finance.token(for: FinanceBackend.user(email), expiredFor: seconds)
        case .chat, .clans: return nil
        }
    }

    /// An access token issued by the gateway for `app`, as it is that many seconds after its expiry.
    ///
    /// - Returns: Nil for the apps that sign their tokens themselves.
    public nonisolated func expired(_ token: String, of app: SampleAppName, for seconds: Int) throws -> String? {
        switch app {
        case .customer, .driver, .finance: nil
        case .chat: try chat.tokens.expired(token, for: seconds)
        case .clans: try clans.tokens.expired(token, for: seconds)
        }
    }

    private func application(
        _ app: any SampleApp,
        port: Int,
        onRunning: @escaping @Sendable (Int) -> Void
    ) -> any Service {
        Application(
            router: app.makeRouter(),
            configuration: ApplicationConfiguration(
                address: .hostname("127.0.0.1", port: port),
                serverName: "sample-\(app.name)"
            ),
            onServerRunning: { channel in onRunning(channel.localAddress?.port ?? port) },
            logger: logger
        )
    }
}
