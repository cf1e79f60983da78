/// A Lua script, which the server runs atomically.
///
/// Its source is sent every time. The server caches compiled scripts by their hash, so sending the hash would save a
/// kilobyte on the wire. But a script could be missing, after a restart, a failover or `SCRIPT FLUSH`, and a pipeline
/// would be carried out in part.
public struct RedisScript: Sendable, Hashable {
    public let source: String

    /// - Parameter source: Lua that reads its input from `KEYS` and `ARGV`.
    public init(_ source: String) {
        self.source = source
    }

    /// - Parameter keys: All keys that the script uses.
    public func command(keys: [String], arguments: [any RedisArgument]) -> RedisCommand {
        var command = RedisCommand("EVAL", source, keys.count)
        for key in keys { command.append(key) }
        for argument in arguments { command.append(argument) }
        return command
    }
}
