/// A Lua script that the server runs as one step.
///
/// It goes with its source every time. The server compiles a source once and knows it again by its hash, so that naming
/// the hash would save a kilobyte on the wire. In return a script could be missing, after a restart, a failover or
/// `SCRIPT FLUSH`, and a pipeline would be carried out in part.
public struct RedisScript: Sendable, Hashable {
    public let source: String

    /// - Parameter source: Lua that reads its input from `KEYS` and `ARGV`.
    public init(_ source: String) {
        self.source = source
    }

    /// - Parameter keys: All keys that the script touches.
    public func command(keys: [String], arguments: [any RedisArgument]) -> RedisCommand {
        var command = RedisCommand("EVAL", source, keys.count)
        for key in keys { command.append(key) }
        for argument in arguments { command.append(argument) }
        return command
    }
}
