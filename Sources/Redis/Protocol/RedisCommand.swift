/// A command with its arguments, as bytes: nothing in them is ever parsed as syntax.
public struct RedisCommand: Sendable, Hashable {
    /// The name of the command first. Never empty.
    public private(set) var parts: [[UInt8]]

    /// - Parameters:
    ///   - name: A single word, like `SET`; the second word of `CLIENT SETNAME` is an argument.
    ///   - arguments: Strings, bytes and integers, in order.
    public init(_ name: String, _ arguments: any RedisArgument...) {
        parts = [Array(name.utf8)]
        for argument in arguments { parts.append(argument.redisBytes) }
    }

    public mutating func append(_ argument: any RedisArgument) {
        parts.append(argument.redisBytes)
    }

    public mutating func append(contentsOf arguments: some Sequence<[UInt8]>) {
        parts.append(contentsOf: arguments)
    }

    public var name: String { parts.first.map { String(decoding: $0, as: UTF8.self) } ?? "" }
}

extension RedisCommand: CustomStringConvertible, CustomDebugStringConvertible {
    /// Only the name: arguments may be secret.
    public var description: String { "\(name) (\(parts.count - 1) arguments)" }

    public var debugDescription: String { description }
}

/// An argument of a command. Fractional numbers are excluded: their text form is not unique.
public protocol RedisArgument: Sendable {
    var redisBytes: [UInt8] { get }
}

extension String: RedisArgument {
    /// Its UTF-8.
    public var redisBytes: [UInt8] { Array(utf8) }
}

extension [UInt8]: RedisArgument {
    public var redisBytes: [UInt8] { self }
}

extension Int: RedisArgument {
    /// Its decimal digits.
    public var redisBytes: [UInt8] { Array(String(self).utf8) }
}

extension Int64: RedisArgument {
    /// Its decimal digits.
    public var redisBytes: [UInt8] { Array(String(self).utf8) }
}

extension UInt64: RedisArgument {
    /// Its decimal digits.
    public var redisBytes: [UInt8] { Array(String(self).utf8) }
}
