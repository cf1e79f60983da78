import Glibc
import NIOCore

/// Buffers that were written to a channel and that its socket has not taken yet.
struct OutputQueue {
    private struct Entry {
        var buffer: ByteBuffer
        let promise: EventLoopPromise<Void>?
    }

    /// The most buffers in one system call.
    private static let mostVectors = 64

    private var entries = CircularBuffer<Entry>(initialCapacity: 2)
    /// How many of the entries, from the first on, are flushed and may be sent.
    private var flushed = 0
    /// All queued bytes, flushed or not.
    private(set) var bytes = 0
    /// False from when more than the high watermark is queued until no more than the low one is.
    private(set) var isWritable = true
    /// Whether the socket is full. An event of the kernel ends this.
    var isBlocked = false
    /// Whether the output ends with what is queued: nothing more is accepted.
    var isShutting = false
    /// Whether the socket's output has been shut down.
    var isShut = false
    let watermarks: ChannelOptions.Types.WriteBufferWaterMark

    init(_ watermarks: ChannelOptions.Types.WriteBufferWaterMark) { self.watermarks = watermarks }

    var isEmpty: Bool { entries.isEmpty }

    var hasFlushed: Bool { flushed > 0 }

    /// - Returns: Whether this makes the queue unwritable.
    mutating func append(_ buffer: ByteBuffer, _ promise: EventLoopPromise<Void>?) -> Bool {
        entries.append(Entry(buffer: buffer, promise: promise))
        bytes += buffer.readableBytes
        guard isWritable, bytes > watermarks.high else { return false }
        isWritable = false
        return true
    }

    mutating func flush() { flushed = entries.count }

    /// Offers what is flushed to the socket.
    ///
    /// - Returns: How many bytes the socket took, or -1 with `errno` set.
    func send(to descriptor: CInt) -> Int {
        assert(hasFlushed)
        if flushed == 1, let entry = entries.first {
            return entry.buffer.withUnsafeReadableBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
        }
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: Self.mostVectors) { vectors in
            sendVectors(vectors, to: descriptor)
        }
    }

    private func sendVectors(_ vectors: UnsafeMutableBufferPointer<iovec>, to descriptor: CInt) -> Int {
        let count = min(flushed, Self.mostVectors)
        for (index, entry) in entries.prefix(count).enumerated() {
            // The buffers stay where they are: the queue holds them and is not changed until this returns.
            vectors[index] = entry.buffer.withUnsafeReadableBytes {
                iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
            }
        }
        var message = msghdr()
        message.msg_iov = vectors.baseAddress
        message.msg_iovlen = count
        return sendmsg(descriptor, &message, CInt(MSG_NOSIGNAL))
    }

    /// Removes the bytes that the socket took.
    ///
    /// - Parameter count: Those bytes. If they are fewer than were offered, the socket is full.
    mutating func sent(_ count: Int, _ promises: inout [EventLoopPromise<Void>]) {
        var left = count
        bytes -= count
        for _ in 0..<min(flushed, Self.mostVectors) {
            guard let length = entries.first?.buffer.readableBytes else { break }
            guard left >= length else {
                entries[entries.startIndex].buffer.moveReaderIndex(forwardBy: left)
                isBlocked = true
                return
            }
            left -= length
            if let promise = entries.removeFirst().promise { promises.append(promise) }
            flushed -= 1
        }
    }

    /// - Returns: Whether the queue has just become writable again.
    mutating func becameWritable() -> Bool {
        guard !isWritable, bytes <= watermarks.low else { return false }
        isWritable = true
        return true
    }

    /// - Returns: The promises of the unsent buffers, to be failed.
    mutating func removeAll() -> [EventLoopPromise<Void>] {
        let promises = entries.compactMap(\.promise)
        entries.removeAll()
        (flushed, bytes) = (0, 0)
        return promises
    }
}
