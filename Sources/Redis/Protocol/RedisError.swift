/// Why there is no reply. An error from the server is a reply: ``RedisReply/error(code:message:)``.
public enum RedisError: Error, Sendable, Hashable {
    /// There was no connection in time. The command was not sent.
    case unavailable(String)
    /// The command was sent and no reply came in time. It may have been carried out.
    case timedOut
    /// The connection was lost, with the reason, after the command was sent. It may have been carried out.
    case lostInFlight(String)
    /// Too many commands wait, or too many bytes. The command was not sent.
    case queueFull
    /// The command is larger than any server accepts.
    case commandTooLarge
    /// A permanent problem: a wrong password, a missing right, an unusable file. The command was not sent.
    case unusable(String)
    /// The waiting task was cancelled. The command may have been carried out.
    case cancelled
    /// The client is closed.
    case closed
}

extension RedisError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unavailable(let reason): "Redis is not available: \(reason)"
        case .timedOut: "Redis did not reply in time"
        case .lostInFlight(let reason): "the connection to Redis was lost before its reply: \(reason)"
        case .queueFull: "too many commands wait for Redis"
        case .commandTooLarge: "the command is too large for Redis"
        case .unusable(let reason): "Redis cannot be used: \(reason)"
        case .cancelled: "the wait for Redis was cancelled"
        case .closed: "the Redis client is closed"
        }
    }
}
