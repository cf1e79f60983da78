import NIOCore

/// The calls waiting for replies, in the order in which they are sent and replied to. One call is one command or a
/// pipeline of them.
///
/// The first ``written`` calls were handed to the connection; the others wait for one. Replies come in the order of the
/// commands, so after a missing reply the following ones cannot be matched: then the connection is closed.
struct CommandQueue {
    typealias CallID = UInt64

    /// The effect of a reply on its call.
    enum Reply: Equatable {
        /// More replies of the call are expected, or it was cancelled.
        case kept
        case complete(CallID, [RedisReply])
        /// No command is waiting for it.
        case unexpected
    }

    struct Expired: Equatable {
        /// They expired before a connection took them.
        var unsent: [CallID] = []
        /// They were sent and got no reply in time: the connection must be closed.
        var unanswered: [CallID] = []
        var closesConnection = false
    }

    private struct Call {
        let id: CallID
        let commands: Int
        let deadline: NIODeadline
        let size: Int
        /// The bytes to send; empty once they were sent.
        var bytes: ByteBuffer
        var replies: [RedisReply] = []
        var missing: Int
        /// The caller no longer waits, but the replies will still come.
        var isAbandoned = false
    }

    private let maximumCommands: Int
    private let maximumBytes: Int
    private var calls = CircularBuffer<Call>()
    private var nextID: CallID = 1
    /// How many calls, from the first on, were handed to the connection.
    private(set) var written = 0
    private(set) var commands = 0
    private(set) var bytes = 0

    init(maximumCommands: Int, maximumBytes: Int) {
        self.maximumCommands = maximumCommands
        self.maximumBytes = maximumBytes
    }

    var isEmpty: Bool { calls.isEmpty }

    /// The earliest time at which a call may expire.
    var nextDeadline: NIODeadline? { calls.lazy.map(\.deadline).min() }

    /// - Parameters:
    ///   - encoded: Its commands as sent.
    ///   - commands: Their number, at least one.
    /// - Throws: ``RedisError/queueFull``.
    mutating func add(_ encoded: ByteBuffer, commands: Int, deadline: NIODeadline) throws(RedisError) -> CallID {
        let size = encoded.readableBytes
        guard self.commands + commands <= maximumCommands, bytes + size <= maximumBytes else { throw .queueFull }
        let id = nextID
        nextID += 1
        self.commands += commands
        bytes += size
        calls.append(
            Call(id: id, commands: commands, deadline: deadline, size: size, bytes: encoded, missing: commands)
        )
        return id
    }

    /// The unsent calls, for the present connection.
    mutating func takeUnwritten() -> ByteBuffer? {
        guard written < calls.count else { return nil }
        var taken = ByteBuffer()
        for offset in written..<calls.count {
            let index = calls.index(calls.startIndex, offsetBy: offset)
            var bytes = calls[index].bytes
            calls[index].bytes = ByteBuffer()
            if taken.readableBytes == 0 { taken = bytes } else { taken.writeBuffer(&bytes) }
        }
        written = calls.count
        return taken
    }

    mutating func received(_ reply: RedisReply) -> Reply {
        guard written > 0, var call = calls.first else { return .unexpected }
        call.missing -= 1
        if !call.isAbandoned { call.replies.append(reply) }
        guard call.missing == 0 else {
            calls[calls.startIndex] = call
            return .kept
        }
        written -= 1
        remove(at: 0)
        return call.isAbandoned ? .kept : .complete(call.id, call.replies)
    }

    /// The caller no longer waits: an unsent call is dropped, and replies to a sent one are ignored.
    mutating func cancel(_ id: CallID) {
        guard
            let offset = calls.firstIndex(where: { $0.id == id }).map({ calls.distance(from: calls.startIndex, to: $0) }
            )
        else { return }
        if offset < written {
            let index = calls.index(calls.startIndex, offsetBy: offset)
            calls[index].isAbandoned = true
            calls[index].replies = []
        } else {
            remove(at: offset)
        }
    }

    mutating func expire(at now: NIODeadline) -> Expired {
        var expired = Expired()
        for call in calls.prefix(written) where call.deadline <= now {
            expired.closesConnection = true
            if !call.isAbandoned { expired.unanswered.append(call.id) }
        }
        for index in calls.indices.prefix(written) where calls[index].deadline <= now {
            calls[index].isAbandoned = true
        }
        let unsent = calls.dropFirst(written).filter { $0.deadline <= now }
        expired.unsent = unsent.map(\.id)
        if !unsent.isEmpty {
            for call in unsent { forget(call) }
            let kept = calls.enumerated().filter { $0.offset < written || $0.element.deadline > now }
            calls = CircularBuffer(kept.map(\.element))
        }
        return expired
    }

    /// - Returns: The sent calls whose callers wait. The others go to the next connection.
    mutating func connectionLost() -> [CallID] {
        let lost = calls.prefix(written)
        let waiting = lost.filter { !$0.isAbandoned }.map(\.id)
        for call in lost { forget(call) }
        calls.removeFirst(written)
        written = 0
        return waiting
    }

    /// - Returns: The removed calls that were waiting for a connection.
    mutating func removeUnwritten() -> [CallID] {
        let unwritten = calls.dropFirst(written)
        let ids = unwritten.map(\.id)
        for call in unwritten { forget(call) }
        calls.removeLast(calls.count - written)
        return ids
    }

    private mutating func remove(at offset: Int) {
        forget(calls.remove(at: calls.index(calls.startIndex, offsetBy: offset)))
    }

    private mutating func forget(_ call: Call) {
        commands -= call.commands
        bytes -= call.size
    }
}
