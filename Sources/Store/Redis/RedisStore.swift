public import Logging
public import NIOCore
public import Redis
import Synchronization
public import Time

/// Redis, for a fleet: instances see each other's writes, and are notified within milliseconds.
///
/// Each operation that changes more than one key is a script, which is atomic. With Sentinel a write counts as
/// acknowledged when a replica has it too, so that it outlives the loss of the master.
public final class RedisStore: Store {
    struct Clients: Sendable {
        let commands: RedisClient
        /// For blocking reads: later commands on the same connection would wait with them.
        let changes: RedisClient
    }

    private enum State {
        case closed
        case open(Clients)
    }

    /// Milliseconds that a write waits for a replica.
    private static let replicationTimeout = 1000

    /// The rights that the user needs, as an ACL.
    static let rights = "~gatehouse:* +@read +@write +@scripting +@connection +time +wait +role"

    public let name = "redis"
    let configuration: RedisConfiguration
    let now: UnixClock
    let keptChanges: Int
    let witness = Mutex(RedisWitness())
    let unreadable: UnreadableLog
    private let eventLoopGroup: any EventLoopGroup
    private let logger: Logger
    private let state = Mutex(State.closed)
    private let hasReplicas: Bool

    public convenience init(
        _ configuration: RedisConfiguration,
        eventLoopGroup: any EventLoopGroup,
        logger: Logger,
        clock: @escaping UnixClock = Clock.unix
    ) {
        self.init(
            configuration,
            eventLoopGroup: eventLoopGroup,
            logger: logger,
            clock: clock,
            keptChanges: RevocationLimits.keptChanges
        )
    }

    /// - Parameter keptChanges: The minimum number of changes kept for readers that fell behind.
    init(
        _ configuration: RedisConfiguration,
        eventLoopGroup: any EventLoopGroup,
        logger: Logger,
        clock: @escaping UnixClock,
        keptChanges: Int
    ) {
        self.configuration = configuration
        self.eventLoopGroup = eventLoopGroup
        self.logger = logger
        unreadable = UnreadableLog(logger)
        self.keptChanges = keptChanges
        now = clock
        hasReplicas = if case .sentinels = configuration.servers { true } else { false }
    }

    public var isUp: Bool {
        guard case .open(let clients) = state.withLock({ $0 }) else { return false }
        return clients.commands.isUp
    }

    public var isAbsent: Bool {
        guard case .open(let clients) = state.withLock({ $0 }) else { return false }
        return clients.commands.isAbsent
    }

    public func open() async throws(StoreError) {
        do throws(RedisError) {
            let commands = try RedisClient(configuration, eventLoopGroup: eventLoopGroup, logger: logger)
            let changes = try RedisClient(configuration, eventLoopGroup: eventLoopGroup, logger: logger)
            state.withLock { $0 = .open(Clients(commands: commands, changes: changes)) }
            commands.start()
            changes.start()
        } catch {
            throw StoreError(error)
        }
    }

    public func close() async {
        let state = self.state.withLock { state in
            defer { state = .closed }
            return state
        }
        guard case .open(let clients) = state else { return }
        await clients.commands.close()
        await clients.changes.close()
    }

    // MARK: Commands

    func clients() throws(StoreError) -> Clients {
        guard case .open(let clients) = state.withLock({ $0 }) else { throw .unavailable("the store is not open") }
        return clients
    }

    /// - Returns: The replies, none of which is an error.
    func send(_ commands: RedisCommand...) async throws(StoreError) -> [RedisReply] {
        try await Self.exchange(commands, with: clients().commands)
    }

    /// - Returns: The replies, none of which is an error, once a replica has the writes, if there should be one.
    func write(_ commands: [RedisCommand]) async throws(StoreError) -> [RedisReply] {
        guard hasReplicas else { return try await Self.exchange(commands, with: clients().commands) }
        var replies = try await Self.exchange(
            commands + [RedisCommand("WAIT", 1, Self.replicationTimeout)],
            with: clients().commands
        )
        guard case .integer(let replicas) = replies.removeLast(), replicas > 0 else {
            throw .unavailable("no replica has the write")
        }
        return replies
    }

    static func exchange(
        _ commands: [RedisCommand],
        with client: RedisClient,
        timeout: Duration? = nil
    ) async throws(StoreError) -> [RedisReply] {
        let replies: [RedisReply]
        do throws(RedisError) {
            replies = try await client.pipeline(commands, timeout: timeout)
        } catch {
            throw StoreError(error)
        }
        guard replies.count == commands.count else { throw .garbled("Redis gave another number of replies") }
        for (command, reply) in zip(commands, replies) {
            if case .error(let code, let message) = reply {
                throw StoreError(code: code, message: message, command: command.name)
            }
        }
        return replies
    }
}
