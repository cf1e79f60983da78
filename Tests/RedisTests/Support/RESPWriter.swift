import TestSupport

@testable import Redis

/// Writes replies in the simplest way, for comparison.
enum RESPWriter {
    static func bytes(_ reply: RedisReply) -> [UInt8] {
        switch reply {
        case .string(let bytes): Array("$\(bytes.count)\r\n".utf8) + bytes + Array("\r\n".utf8)
        case .status(let text): Array("+\(text)\r\n".utf8)
        case .integer(let integer): Array(":\(integer)\r\n".utf8)
        case .null: Array("$-1\r\n".utf8)
        case .array(let elements): Array("*\(elements.count)\r\n".utf8) + elements.flatMap(bytes)
        case .error(_, let message): Array("-\(message)\r\n".utf8)
        }
    }

    /// - Parameter depth: How deeply arrays may be nested.
    static func random(depth: Int, using generator: inout SplitMix64) -> RedisReply {
        switch Int.random(in: 0...(depth > 0 ? 6 : 4), using: &generator) {
        case 0: .string(generator.bytes(Int.random(in: 0...40, using: &generator)))
        case 1: .status("OK \(generator.next())")
        case 2: .integer(Int64(bitPattern: generator.next()))
        case 3: .null
        case 4: .error(code: "ERR", message: "ERR \(generator.next())")
        default:
            .array(
                (0..<Int.random(in: 0...5, using: &generator)).map { _ in random(depth: depth - 1, using: &generator) }
            )
        }
    }
}
