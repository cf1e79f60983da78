import NIOCore
import TestSupport
import Testing

@testable import Redis

@Suite struct ReplyReaderTests {
    /// All that is read before the bytes end or fail.
    struct Outcome: Equatable {
        var replies: [RedisReply] = []
        var error: ProtocolError?
    }

    private static func read(
        _ bytes: [UInt8],
        pieces: (Int) -> Int = { $0 },
        maximumBytes: Int = 1 << 20
    ) throws -> Outcome {
        let reader = try ReplyReader(maximumBytes: maximumBytes)
        var outcome = Outcome()
        var rest = bytes[...]
        do throws(ProtocolError) {
            while !rest.isEmpty {
                let count = max(1, min(rest.count, pieces(rest.count)))
                reader.feed(ByteBuffer(bytes: rest.prefix(count)))
                rest = rest.dropFirst(count)
                while let reply = try reader.next() { outcome.replies.append(reply) }
            }
        } catch {
            outcome.error = error
        }
        return outcome
    }

    private static func read(_ text: String, maximumBytes: Int = 1 << 20) throws -> Outcome {
        let outcome = try read(Array(text.utf8), maximumBytes: maximumBytes)
        #expect(try read(Array(text.utf8), pieces: { _ in 1 }, maximumBytes: maximumBytes) == outcome)
        return outcome
    }

    @Test(arguments: [
        ("+OK\r\n", RedisReply.status("OK")),
        ("+\r\n", .status("")),
        ("$5\r\na\r\nb!\r\n", .string(Array("a\r\nb!".utf8))),
        ("$0\r\n\r\n", .string([])),
        ("$-1\r\n", .null),
        ("*-1\r\n", .null),
        ("*0\r\n", .array([])),
        (":-9223372036854775808\r\n", .integer(.min)),
        (":9223372036854775807\r\n", .integer(.max)),
        ("-WRONGTYPE of key\r\n", .error(code: "WRONGTYPE", message: "WRONGTYPE of key")),
        ("-LONELY\r\n", .error(code: "LONELY", message: "LONELY")),
        ("-\r\n", .error(code: "", message: "")),
        ("*2\r\n*1\r\n:1\r\n*2\r\n$-1\r\n*0\r\n", .array([.array([.integer(1)]), .array([.null, .array([])])])),
        ("*2\r\n-ERR no\r\n+yes\r\n", .array([.error(code: "ERR", message: "ERR no"), .status("yes")])),
    ])
    func eachTypeIsRead(text: String, reply: RedisReply) throws {
        #expect(try Self.read(text) == Outcome(replies: [reply]))
        // The one before leaves no state.
        #expect(try Self.read(text + text) == Outcome(replies: [reply, reply]))
    }

    @Test(arguments: [
        "?\r\n", "hello\r\n", ":12a\r\n", ":\r\n", "$x\r\n", "$-2\r\n", "*-2\r\n", "*x\r\n",
        "$99999999999999999999\r\n", "%1\r\n+a\r\n+b\r\n", "#t\r\n", "*1\r\n?\r\n", ":9223372036854775808\r\n",
    ])
    func whatIsNotRESP2IsRefused(text: String) throws {
        let outcome = try Self.read("+before\r\n" + text)
        #expect(outcome.replies == [.status("before")])
        #expect(outcome.error != nil)
    }

    @Test func nothingIsReadAfterAnError() throws {
        let reader = try ReplyReader(maximumBytes: 100)
        reader.feed(ByteBuffer(string: "?"))
        #expect(throws: ProtocolError.self) { try reader.next() }
        reader.feed(ByteBuffer(string: "+OK\r\n"))
        #expect(throws: ProtocolError.self) { try reader.next() }
    }

    @Test func arrayNestingIsLimited() throws {
        var reply = RedisReply.integer(1)
        for _ in 1...7 { reply = .array([reply]) }
        #expect(try Self.read(RESPWriter.bytes(reply)).replies == [reply])
        #expect(try Self.read(String(repeating: "*1\r\n", count: 100)).error != nil)
    }

    @Test func replyLengthIsLimited() throws {
        let fits = RedisReply.string([UInt8](repeating: 7, count: 1000))
        let tooLarge = RedisReply.string([UInt8](repeating: 7, count: 1001))
        let bytes = RESPWriter.bytes(fits) + RESPWriter.bytes(fits) + RESPWriter.bytes(tooLarge)
        let expected = Outcome(replies: [fits, fits], error: ProtocolError(reason: "a reply of more than 1000 bytes"))
        for size in [1, 7, 999, bytes.count] {
            #expect(try Self.read(bytes, pieces: { _ in size }, maximumBytes: 1000) == expected)
        }
    }

    @Test(arguments: [
        "*2147483647\r\n", "*1000\r\n", "*2\r\n$600\r\n\(String(repeating: "a", count: 600))\r\n$600\r\n",
    ])
    func anAnnouncedSizeBeyondTheLimitIsNotWaitedFor(start: String) throws {
        let rest = String(repeating: "a", count: 600) + "\r\n"
        #expect(try Self.read(start + rest, maximumBytes: 1000).error?.reason == "a reply of more than 1000 bytes")
    }

    @Test func endlessLineIsRefusedAtTheLimit() throws {
        let line = "+" + String(repeating: "a", count: 2000)
        #expect(try Self.read(line, maximumBytes: 1000).error?.reason == "a reply of more than 1000 bytes")
    }

    @Test func aLargeReplyIsReadWhole() throws {
        let reply = RedisReply.array((0..<4).map { .string([UInt8](repeating: UInt8($0), count: 3 << 20)) })
        let bytes = RESPWriter.bytes(reply)
        #expect(try Self.read(bytes, pieces: { _ in 65_536 }, maximumBytes: 16 << 20) == Outcome(replies: [reply]))
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func repliesParseAlikeInAnyPieces(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let replies = (0..<60).map { _ in RESPWriter.random(depth: 5, using: &generator) }
        let bytes = replies.flatMap(RESPWriter.bytes)
        #expect(try Self.read(bytes) == Outcome(replies: replies))
        #expect(try Self.read(bytes, pieces: { _ in 1 }) == Outcome(replies: replies))
        let cut = try Self.read(bytes, pieces: { _ in Int.random(in: 1...50, using: &generator) })
        #expect(cut == Outcome(replies: replies))
    }

    @Test(arguments: 100..<160 as Range<UInt64>)
    func damagedBytesParseAlikeInAnyPieces(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var bytes = (0..<20).flatMap { _ in RESPWriter.bytes(RESPWriter.random(depth: 4, using: &generator)) }
        for _ in 0..<3 {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[index] = Array("+-:$*\r\n0129az".utf8).randomElement(using: &generator) ?? 0
        }
        let atOnce = try Self.read(bytes, maximumBytes: 10_000)
        #expect(try Self.read(bytes, pieces: { _ in 1 }, maximumBytes: 10_000) == atOnce)
    }

    @Test(arguments: 200..<240 as Range<UInt64>)
    func randomBytesGiveAnErrorOrNothing(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let noise = generator.bytes(500)
        let outcome = try Self.read([UInt8(ascii: "!")] + noise)
        #expect(outcome.replies.isEmpty && outcome.error != nil)
    }
}
