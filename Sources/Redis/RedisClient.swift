public import Logging
public import NIOCore
import Synchronization

/// One persistent connection to Redis (6 or newer): calls are sent in the order of arrival, without waiting for the
/// replies to earlier ones.
///
/// While there is no connection calls wait for one, each until its deadline and all of them together no longer than
/// ``RedisConfiguration/commandTimeout``, so that a short gap is bridged and a long one delays only its first callers:
/// after that calls fail at once, until the next attempt to connect succeeds. A call that was sent when the connection
/// was lost fails, and is not sent again: only its caller knows whether that would do harm.
///
/// Use a separate client for blocking commands, like `XREAD BLOCK`: later commands on the same connection wait for
/// them.
///
/// Close it before its event loop is shut down.
public final class RedisClient: Sendable {
    private let eventLoop: any EventLoop
    private let link: NIOLoopBoundBox<RedisLink>
    private let status: RedisStatus
    private let commandTimeout: Duration

    /// Reads the files of `tls`, which blocks on the disk. Does not connect yet.
    ///
    /// - Parameter stateChanged: Called on an event loop each time a connection became ready or was lost.
    /// - Throws: ``RedisError/unusable(_:)`` if a file cannot be used.
    public init(
        _ configuration: RedisConfiguration,
        eventLoopGroup: any EventLoopGroup,
        logger: Logger,
        stateChanged: @escaping @Sendable (RedisClientState) -> Void = { _ in }
    ) throws(RedisError) {
        let tls: RedisTLSContext? = if let tls = configuration.tls { try RedisTLSContext(tls) } else { nil }
        eventLoop = eventLoopGroup.next()
        status = RedisStatus(changed: stateChanged)
        commandTimeout = configuration.commandTimeout
        link = NIOLoopBoundBox.makeBoxSendingValue(
            try RedisLink(configuration, tls: tls, eventLoop: eventLoop, logger: logger, status: status),
            eventLoop: eventLoop
        )
    }

    /// Whether there is a connection to a server that responded to the last check.
    public var isUp: Bool { status.isUp.load(ordering: .acquiring) }

    /// Whether there has been no connection for longer than calls wait together: each call fails at once, until a
    /// connection is ready again.
    public var isAbsent: Bool { status.isAbsent.load(ordering: .acquiring) }

    /// How many connections have become ready so far: a different number than before means that there was a gap.
    public var connectionNumber: UInt64 { status.connectionNumber.load(ordering: .acquiring) }

    /// Begins to connect, and continues until ``close()``.
    public func start() {
        let link = link
        eventLoop.execute { link.value.start() }
    }

    /// Closes the connection. Calls under way and later ones fail with ``RedisError/closed``.
    public func close() async {
        let link = link
        await withCheckedContinuation { continuation in
            eventLoop.execute {
                link.value.close()
                continuation.resume()
            }
        }
    }

    /// Sends a command.
    ///
    /// - Parameter timeout: From now until its reply; nil for the configured one. For a blocking command: its maximum
    ///   block time plus a margin.
    /// - Returns: The reply, which may be an error of the server.
    /// - Throws: ``RedisError`` if there is no reply; at once when the task is cancelled.
    public func send(_ command: RedisCommand, timeout: Duration? = nil) async throws(RedisError) -> RedisReply {
        let replies = try await pipeline([command], timeout: timeout)
        guard let reply = replies.first else { throw .lostInFlight("no reply") }
        return reply
    }

    /// Sends commands as a pipeline. Commands of other callers do not come between them, but the server may run those
    /// of other connections between any two: atomicity needs `MULTI`, or a script.
    ///
    /// - Parameters:
    ///   - commands: No more than the queue may hold.
    ///   - timeout: As in ``send(_:timeout:)``, for all of them.
    /// - Returns: The replies in order, including errors of the server.
    public func pipeline(
        _ commands: [RedisCommand],
        timeout: Duration? = nil
    ) async throws(RedisError) -> [RedisReply] {
        guard !commands.isEmpty else { return [] }
        var encoded = ByteBuffer()
        for command in commands { try CommandEncoder.encode(command, into: &encoded) }
        let deadline = NIODeadline.now() + TimeAmount(clamping: timeout ?? commandTimeout)
        let call = RedisCall(commands: commands.count)
        let result = await withTaskCancellationHandler {
            await perform(call, encoded, deadline: deadline)
        } onCancel: {
            call.isCancelled.store(true, ordering: .releasing)
            let link = link
            eventLoop.execute { link.value.cancel(call) }
        }
        return try result.get()
    }

    private func perform(
        _ call: RedisCall,
        _ encoded: ByteBuffer,
        deadline: NIODeadline
    ) async -> Result<[RedisReply], RedisError> {
        let link = link
        return await withCheckedContinuation { continuation in
            eventLoop.execute {
                link.value.add(call, encoded, deadline: deadline) { continuation.resume(returning: $0) }
            }
        }
    }
}

public enum RedisClientState: Sendable, Hashable {
    /// Ready for commands; the number is ``RedisClient/connectionNumber``.
    case up(connectionNumber: UInt64)
    case down(reason: String)
}

/// A call that waits for its replies. A cancellation may overtake the call on its way to the event loop, so the call
/// itself records it.
final class RedisCall: Sendable {
    let commands: Int
    let isCancelled = Atomic(false)

    init(commands: Int) {
        self.commands = commands
    }
}

/// A client's state, readable from any thread. Written only on its event loop.
final class RedisStatus: Sendable {
    let isUp = Atomic(false)
    let isAbsent = Atomic(false)
    let connectionNumber = Atomic<UInt64>(0)
    private let changed: @Sendable (RedisClientState) -> Void

    init(changed: @escaping @Sendable (RedisClientState) -> Void) {
        self.changed = changed
    }

    func becameUp(_ number: UInt64) {
        connectionNumber.store(number, ordering: .releasing)
        isUp.store(true, ordering: .releasing)
        changed(.up(connectionNumber: number))
    }

    func becameDown(_ reason: String) {
        guard isUp.exchange(false, ordering: .acquiringAndReleasing) else { return }
        changed(.down(reason: reason))
    }
}
