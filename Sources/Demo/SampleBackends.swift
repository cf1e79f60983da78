public import Logging
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
    private let servers: [LoopbackServer]

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
        clans = ClansBackend(
            key: try AppKey(.rs256, keys.clansKey),
            former: try FormerIssuer.policy(keys.formerKey),
            now: now
        )
        apps = [umuve, finance, chat, clans]
        servers = apps.map { LoopbackServer(name: "sample-\($0.name)", logger: logger) }
    }

    /// Listens on every port, and returns the ports once all accept connections.
    ///
    /// - Throws: Why a port could not be bound; then none is open.
    public func start(ports: SampleBackendPorts) async throws -> SampleBackendPorts {
        do {
            var bound: [Int] = []
            for ((app, server), port) in zip(zip(apps, servers), ports.inOrder) {
                bound.append(try await server.start(app.makeRouter(), port: port))
            }
            return SampleBackendPorts(umuve: bound[0], finance: bound[1], chat: bound[2], clans: bound[3])
        } catch {
            await shutdown()
            throw error
        }
    }

    /// Lets requests under way finish, for at most five seconds, and frees the ports.
    public func shutdown() async {
        await withDiscardingTaskGroup { group in
            for server in servers { group.addTask { await server.shutdown() } }
        }
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
}
