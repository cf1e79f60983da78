import CHiredis
import NIOCore

/// Writes commands as RESP.
enum CommandEncoder {
    /// Far above what a server accepts by default (`proto-max-bulk-len`, 512 MB), and below hiredis' counters.
    private static let maximumBytes = 1 << 30

    /// - Throws: ``RedisError/commandTooLarge`` beyond one GiB.
    static func encode(_ command: RedisCommand, into buffer: inout ByteBuffer) throws(RedisError) {
        let size = command.parts.reduce(0) { $0 + $1.count + 32 }
        guard size <= maximumBytes, let count = Int32(exactly: command.parts.count) else { throw .commandTooLarge }
        // All arguments in one piece, so that one pointer is valid for all of them.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        for part in command.parts { bytes += part }
        var lengths = command.parts.map(\.count)
        var target: UnsafeMutablePointer<CChar>?
        let written = bytes.withUnsafeBytes { bytes in
            // An empty array has no address; then all arguments are empty, and none is read.
            var start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            var pointers: [UnsafePointer<CChar>?] = []
            for length in lengths {
                pointers.append(start)
                start = start.map { $0 + length }
            }
            return redisFormatCommandArgv(&target, count, &pointers, &lengths)
        }
        defer { redisFreeCommand(target) }
        guard written > 0, let target else { throw .commandTooLarge }
        buffer.writeBytes(UnsafeRawBufferPointer(start: target, count: Int(written)))
    }
}

/// The input is not RESP2, or exceeds a limit. Nothing after it can be parsed.
struct ProtocolError: Error, Equatable {
    var reason: String
}

/// Reads replies from a stream of bytes, cut in any way. Owns hiredis' reader, which finds the limits of each item; the
/// replies themselves are built here.
final class ReplyReader {
    /// Small, so that hiredis moves little data in its buffer.
    private static let sliceBytes = 16 << 10
    /// Bytes of an item besides its content: type, length and line ends.
    private static let framingBytes = 64

    private let reader: UnsafeMutablePointer<redisReader>
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    private let builder: ReplyBuilder
    private var unread = ByteBuffer()
    private var failure: ProtocolError?

    /// - Parameter maximumBytes: The memory that one reply may take.
    init(maximumBytes: Int) throws(ProtocolError) {
        functions = .allocate(capacity: 1)
        functions.initialize(to: ReplyBuilder.functions)
        guard let reader = redisReaderCreateWithFunctions(functions) else {
            functions.deallocate()
            throw ProtocolError(reason: "out of memory")
        }
        self.reader = reader
        builder = ReplyBuilder(maximumBytes: maximumBytes)
        // The builder lives as long as this object, and the reader is freed with it.
        reader.pointee.privdata = Unmanaged.passUnretained(builder).toOpaque()
    }

    deinit {
        redisReaderFree(reader)
        functions.deallocate()
    }

    func feed(_ bytes: ByteBuffer) {
        var bytes = bytes
        unread.writeBuffer(&bytes)
    }

    /// - Returns: The next reply, or nil until more bytes are fed.
    func next() throws(ProtocolError) -> RedisReply? {
        if let failure { throw failure }
        while true {
            var root: UnsafeMutableRawPointer?
            guard redisReaderGetReply(reader, &root) == REDIS_OK else { throw failed(builder.refusal ?? problem) }
            if let reply = builder.takeFinished() { return reply }
            let buffered = reader.pointee.len - reader.pointee.pos
            guard buffered + builder.bytes <= builder.maximumBytes + Self.framingBytes else {
                throw failed(builder.tooLarge)
            }
            guard let slice = unread.readSlice(length: min(Self.sliceBytes, unread.readableBytes)),
                slice.readableBytes > 0
            else {
                unread.clear(minimumCapacity: 0)
                return nil
            }
            guard feedSlice(slice) == REDIS_OK else { throw failed(problem) }
        }
    }

    private func feedSlice(_ slice: ByteBuffer) -> Int32 {
        slice.withUnsafeReadableBytes { bytes in
            redisReaderFeed(reader, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
    }

    private var problem: String {
        withUnsafeBytes(of: &reader.pointee.errstr) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private func failed(_ reason: String) -> ProtocolError {
        let error = ProtocolError(reason: reason)
        failure = error
        return error
    }
}

/// Assembles the items that hiredis finds: they come depth first, so the incomplete arrays form a stack.
private final class ReplyBuilder {
    private struct IncompleteArray {
        var missing: Int
        var elements: [RedisReply]
    }

    let maximumBytes: Int
    /// The bytes of the current reply so far.
    private(set) var bytes = 0
    /// Why the current reply was abandoned.
    private(set) var refusal: String?
    private var arrays: [IncompleteArray] = []
    private var finished: RedisReply?

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    var tooLarge: String { "a reply of more than \(maximumBytes) bytes" }

    /// hiredis calls these for each item. It expects a pointer to the result, and never dereferences it.
    static var functions: redisReplyObjectFunctions {
        redisReplyObjectFunctions(
            createString: { task, text, count in
                ReplyBuilder.of(task)?.addText(task, UnsafeRawBufferPointer(start: text, count: count))
            },
            createArray: { task, count in ReplyBuilder.of(task)?.addArray(Int(count)) },
            createInteger: { task, integer in ReplyBuilder.of(task)?.add(.integer(integer), bytes: 0) },
            createNil: { task in ReplyBuilder.of(task)?.add(.null, bytes: 0) },
            freeObject: { _ in }
        )
    }

    private static func of(_ task: UnsafePointer<redisReadTask>?) -> ReplyBuilder? {
        task?.pointee.privdata.map { Unmanaged<ReplyBuilder>.fromOpaque($0).takeUnretainedValue() }
    }

    func takeFinished() -> RedisReply? {
        guard let reply = finished else { return nil }
        finished = nil
        bytes = 0
        return reply
    }

    private func addText(
        _ task: UnsafePointer<redisReadTask>?,
        _ text: UnsafeRawBufferPointer
    ) -> UnsafeMutableRawPointer? {
        guard let type = task?.pointee.type, fits(for: text.count) else { return nil }
        return switch type {
        case REDIS_REPLY_STATUS: add(.status(String(decoding: text, as: UTF8.self)), bytes: text.count)
        case REDIS_REPLY_ERROR: add(RedisReply(errorLine: String(decoding: text, as: UTF8.self)), bytes: text.count)
        default: add(.string(Array(text)), bytes: text.count)
        }
    }

    /// The size is known before its elements come: an oversized array fails at once.
    private func addArray(_ count: Int) -> UnsafeMutableRawPointer? {
        guard count > 0 else { return add(.array([]), bytes: 0) }
        let size = count * MemoryLayout<RedisReply>.stride
        guard fits(for: size) else { return nil }
        bytes += size
        arrays.append(IncompleteArray(missing: count, elements: []))
        return itself
    }

    private func add(_ reply: RedisReply, bytes count: Int) -> UnsafeMutableRawPointer? {
        bytes += count
        var reply = reply
        while var array = arrays.popLast() {
            array.elements.append(reply)
            array.missing -= 1
            guard array.missing == 0 else {
                arrays.append(array)
                return itself
            }
            reply = .array(array.elements)
        }
        finished = reply
        return itself
    }

    private func fits(for count: Int) -> Bool {
        guard count <= maximumBytes - bytes else {
            refusal = tooLarge
            return false
        }
        return true
    }

    private var itself: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}
