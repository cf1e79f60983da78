import NIOCore
import TestSupport

@testable import Redis

/// The replies of a server.
enum RedisFuzz {
    private static let maximumBytes = 4096

    private static func read(_ pieces: [[UInt8]]) throws -> (replies: [RedisReply], error: ProtocolError?) {
        let reader = try ReplyReader(maximumBytes: maximumBytes)
        var replies: [RedisReply] = []
        for piece in pieces {
            reader.feed(ByteBuffer(bytes: piece))
            do throws(ProtocolError) {
                while let reply = try reader.next() { replies.append(reply) }
            } catch {
                return (replies, error)
            }
        }
        return (replies, nil)
    }

    private static func size(_ reply: RedisReply) -> Int {
        switch reply {
        case .string(let bytes): bytes.count
        case .status(let text): text.utf8.count
        case .array(let elements): elements.reduce(0) { $0 + size($1) }
        case .integer, .null, .error: 0
        }
    }

    static let replies = FuzzTarget(
        "redis-replies",
        texts: [
            "+OK\r\n:12\r\n$-1\r\n*-1\r\n", "$5\r\nhello\r\n*2\r\n$1\r\na\r\n:7\r\n", "-ERR wrong\r\n*0\r\n$0\r\n\r\n",
            "*3\r\n*1\r\n:1\r\n*2\r\n+a\r\n-MOVED 1 a:1\r\n$-1\r\n",
        ],
        words: [
            "*", "$", ":", "\r\n", "*1\r\n", "$-1\r\n", "*2147483647\r\n", "$2147483648\r\n", "%1\r\n", "_\r\n",
            "#t\r\n",
        ]
    ) { bytes in
        let whole = try read([bytes])
        let dripped = try read(bytes.map { [$0] })
        try hold(whole.replies == dripped.replies, "other replies byte by byte")
        try hold((whole.error == nil) == (dripped.error == nil), "byte by byte the end is another")
        try hold(whole.replies.allSatisfy { size($0) <= maximumBytes }, "a reply beyond the limit")
        return !whole.replies.isEmpty
    }
}
