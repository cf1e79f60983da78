import NIOCore
import TestSupport
import Testing

@testable import Redis

@Suite struct CommandQueueTests {
    private static func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    private static func queue(commands: Int = 100, bytes: Int = 1000) -> CommandQueue {
        CommandQueue(maximumCommands: commands, maximumBytes: bytes)
    }

    /// Adds a call that sends the text.
    private static func add(
        _ text: String,
        to queue: inout CommandQueue,
        commands: Int = 1,
        deadline: Int64 = 10
    ) throws -> CommandQueue.CallID {
        try queue.add(ByteBuffer(string: text), commands: commands, deadline: at(deadline))
    }

    @Test func callsAreSentAndRepliedToInOrder() throws {
        var queue = Self.queue()
        let first = try Self.add("a", to: &queue)
        let second = try Self.add("bc", to: &queue, commands: 2)
        #expect(queue.takeUnwritten() == ByteBuffer(string: "abc"))
        #expect(queue.takeUnwritten() == nil)
        let third = try Self.add("d", to: &queue)
        #expect(queue.takeUnwritten() == ByteBuffer(string: "d"))
        #expect(queue.received(.integer(1)) == .complete(first, [.integer(1)]))
        #expect(queue.received(.integer(2)) == .kept)
        #expect(queue.received(.integer(3)) == .complete(second, [.integer(2), .integer(3)]))
        #expect(queue.received(.integer(4)) == .complete(third, [.integer(4)]))
        #expect(queue.isEmpty && queue.commands == 0 && queue.bytes == 0)
    }

    @Test func unexpectedReplyIsReported() throws {
        var queue = Self.queue()
        #expect(queue.received(.null) == .unexpected)
        _ = try Self.add("not sent yet", to: &queue)
        #expect(queue.received(.null) == .unexpected)
    }

    @Test func commandsBeyondTheLimitAreRefused() throws {
        var queue = Self.queue(commands: 3)
        _ = try Self.add("ab", to: &queue, commands: 2)
        #expect(throws: RedisError.queueFull) { try Self.add("cd", to: &queue, commands: 2) }
        _ = try Self.add("c", to: &queue)
        #expect(throws: RedisError.queueFull) { try Self.add("d", to: &queue) }
        // They were sent without a reply yet: they still count.
        _ = queue.takeUnwritten()
        #expect(throws: RedisError.queueFull) { try Self.add("d", to: &queue) }
        _ = queue.received(.null)
        #expect(throws: RedisError.queueFull) { try Self.add("d", to: &queue) }
        _ = queue.received(.null)
        _ = try Self.add("de", to: &queue, commands: 2)
    }

    @Test func bytesBeyondTheLimitAreRefused() throws {
        var queue = Self.queue(bytes: 10)
        _ = try Self.add("12345678", to: &queue)
        #expect(throws: RedisError.queueFull) { try Self.add("123", to: &queue) }
        _ = try Self.add("90", to: &queue)
        #expect(queue.removeUnwritten().count == 2)
        _ = try Self.add("1234567890", to: &queue)
    }

    @Test func expiredUnsentCallLeavesTheConnectionOpen() throws {
        var queue = Self.queue()
        let sent = try Self.add("a", to: &queue, deadline: 10)
        _ = queue.takeUnwritten()
        let late = try Self.add("b", to: &queue, deadline: 3)
        let patient = try Self.add("c", to: &queue, deadline: 5)
        #expect(queue.expire(at: Self.at(2)) == .init())
        #expect(queue.expire(at: Self.at(3)) == .init(unsent: [late]))
        #expect(queue.takeUnwritten() == ByteBuffer(string: "c"))
        #expect(queue.received(.null) == .complete(sent, [.null]))
        #expect(queue.received(.null) == .complete(patient, [.null]))
        #expect(queue.isEmpty && queue.commands == 0 && queue.bytes == 0)
    }

    @Test func expiredSentCallClosesTheConnection() throws {
        var queue = Self.queue()
        let late = try Self.add("a", to: &queue, deadline: 3)
        let other = try Self.add("b", to: &queue, deadline: 9)
        _ = queue.takeUnwritten()
        let unsent = try Self.add("c", to: &queue, deadline: 9)
        #expect(queue.expire(at: Self.at(4)) == .init(unanswered: [late], closesConnection: true))
        // It has failed already; the other one is lost with the connection.
        #expect(queue.connectionLost() == [other])
        #expect(queue.takeUnwritten() == ByteBuffer(string: "c"))
        #expect(queue.received(.null) == .complete(unsent, [.null]))
    }

    @Test func nextDeadlineIsTheEarliest() throws {
        var queue = Self.queue()
        #expect(queue.nextDeadline == nil)
        _ = try Self.add("a", to: &queue, deadline: 8)
        _ = try Self.add("b", to: &queue, deadline: 4)
        _ = queue.takeUnwritten()
        _ = try Self.add("c", to: &queue, deadline: 6)
        #expect(queue.nextDeadline == Self.at(4))
        _ = queue.received(.null)
        _ = queue.received(.null)
        #expect(queue.nextDeadline == Self.at(6))
    }

    @Test func cancelledUnsentCallIsNotSent() throws {
        var queue = Self.queue()
        _ = try Self.add("a", to: &queue)
        let cancelled = try Self.add("b", to: &queue)
        _ = try Self.add("c", to: &queue)
        queue.cancel(cancelled)
        queue.cancel(99)
        #expect(queue.takeUnwritten() == ByteBuffer(string: "ac"))
        #expect(queue.commands == 2 && queue.bytes == 2)
    }

    @Test func replyToACancelledCallIsDropped() throws {
        var queue = Self.queue()
        let cancelled = try Self.add("ab", to: &queue, commands: 2, deadline: 3)
        let next = try Self.add("c", to: &queue)
        _ = queue.takeUnwritten()
        #expect(queue.received(.integer(1)) == .kept)
        queue.cancel(cancelled)
        #expect(queue.received(.integer(2)) == .kept)
        #expect(queue.received(.integer(3)) == .complete(next, [.integer(3)]))
    }

    @Test func missingReplyToACancelledCallExpires() throws {
        var queue = Self.queue()
        let cancelled = try Self.add("a", to: &queue, deadline: 3)
        _ = queue.takeUnwritten()
        queue.cancel(cancelled)
        #expect(queue.expire(at: Self.at(3)) == .init(closesConnection: true))
        #expect(queue.connectionLost() == [])
        #expect(queue.isEmpty && queue.commands == 0 && queue.bytes == 0)
    }

    /// A model records every call, and every call ends exactly once.
    @Test(arguments: 0..<50 as Range<UInt64>)
    func everyCallEndsOnce(seed: UInt64) throws {
        var world = PretendWorld(seed: seed)
        for _ in 0..<400 { try world.step() }
        world.finish()
        #expect(world.ended.count == world.added)
        #expect(world.queue.isEmpty && world.queue.commands == 0 && world.queue.bytes == 0)
    }
}

private struct PretendWorld {
    var queue = CommandQueue(maximumCommands: 40, maximumBytes: 400)
    var added = 0
    private(set) var ended: Set<CommandQueue.CallID> = []
    private var generator: SplitMix64
    private var now = NIODeadline.uptimeNanoseconds(0)
    /// Calls that the server has not replied to: each with its number of commands and the number of its first reply.
    private var server: [(id: CommandQueue.CallID, commands: Int)] = []
    private var unsent: [(id: CommandQueue.CallID, commands: Int, text: String)] = []

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
    }

    mutating func step() throws {
        now = now + .milliseconds(Int64.random(in: 0...20, using: &generator))
        switch Int.random(in: 0...9, using: &generator) {
        case 0...3: add()
        case 4: take()
        case 5...6: try answer()
        case 7: cancel()
        case 8: expire()
        default: lose()
        }
    }

    mutating func finish() {
        lose()
        for id in queue.removeUnwritten() { end(id) }
    }

    private mutating func add() {
        let commands = Int.random(in: 1...3, using: &generator)
        let text = String(repeating: "x", count: Int.random(in: 1...30, using: &generator))
        let deadline = now + .milliseconds(Int64.random(in: 1...400, using: &generator))
        guard let id = try? queue.add(ByteBuffer(string: text), commands: commands, deadline: deadline) else {
            #expect(queue.commands + commands > 40 || queue.bytes + text.count > 400)
            return
        }
        added += 1
        unsent.append((id, commands, text))
    }

    private mutating func take() {
        let expected = unsent.map(\.text).joined()
        #expect(queue.takeUnwritten().map { String(buffer: $0) } ?? "" == expected)
        server += unsent.map { ($0.id, $0.commands) }
        unsent = []
    }

    /// The server replies to all commands of its oldest call, with the call's number.
    private mutating func answer() throws {
        guard !server.isEmpty else {
            #expect(queue.received(.null) == .unexpected)
            return
        }
        let (id, commands) = server.removeFirst()
        let reply = RedisReply.integer(Int64(id))
        for _ in 1..<commands { #expect(queue.received(reply) == .kept) }
        switch queue.received(reply) {
        case .complete(id, let replies):
            #expect(replies == [RedisReply](repeating: reply, count: commands))
            end(id)
        case .kept: #expect(ended.contains(id))
        case .complete, .unexpected: Issue.record("the reply to \(id) went elsewhere")
        }
    }

    private mutating func cancel() {
        guard let id = (server.map(\.id) + unsent.map(\.id)).randomElement(using: &generator), !ended.contains(id)
        else { return }
        queue.cancel(id)
        unsent.removeAll { $0.id == id }
        end(id)
    }

    private mutating func expire() {
        let expired = queue.expire(at: now)
        for id in expired.unsent {
            unsent.removeAll { $0.id == id }
            end(id)
        }
        for id in expired.unanswered { end(id) }
        if let next = queue.nextDeadline, !expired.closesConnection { #expect(next > now) }
        if expired.closesConnection { lose() }
    }

    private mutating func lose() {
        for id in queue.connectionLost() { end(id) }
        server = []
    }

    private mutating func end(_ id: CommandQueue.CallID) {
        #expect(ended.insert(id).inserted, "\(id) ended twice")
    }
}
