import HTTPCore
import NIOCore

/// The body of one stream's request that has come and was not passed on, and the flow-control credit that is owed for it.
struct HTTP2StreamInput {
    struct Piece {
        var bytes: ByteBuffer
        var flowControlled: Int
    }

    private static let pieceLength = 4096

    /// Body that came before there was a server for it; no more than the stream's window.
    private var waiting: [Piece] = []
    /// Whether END_STREAM has come.
    var isComplete: Bool
    var trailers: [UInt8] = []
    /// Flow-controlled bytes that are passed on and not given back, while the server takes no more.
    private var heldBack = 0
    private var isReading = true

    init(isComplete: Bool = false) { self.isComplete = isComplete }

    var isEmpty: Bool { waiting.isEmpty }

    /// A piece is a part of the buffer that was read into, and keeps the whole of it: small ones that have to wait are
    /// copied together, or a client could have us keep a buffer for each byte.
    mutating func append(
        _ bytes: ByteBuffer,
        flowControlled: Int,
        isCopied: Bool,
        _ allocator: ByteBufferAllocator
    ) {
        guard isCopied else { return waiting.append(Piece(bytes: bytes, flowControlled: flowControlled)) }
        if waiting.isEmpty || waiting[waiting.count - 1].bytes.readableBytes >= Self.pieceLength {
            let buffer = allocator.buffer(capacity: max(bytes.readableBytes, Self.pieceLength))
            waiting.append(Piece(bytes: buffer, flowControlled: 0))
        }
        waiting[waiting.count - 1].bytes.writeImmutableBuffer(bytes)
        waiting[waiting.count - 1].flowControlled += flowControlled
    }

    mutating func takeAll() -> [Piece] {
        guard !waiting.isEmpty else { return [] }
        let pieces = waiting
        waiting.removeAll(keepingCapacity: true)
        return pieces
    }

    /// What may be passed on of the body. The piece that completes the announced length waits for END_STREAM: otherwise a
    /// server of HTTP/1.1 would take a body that turns out to be longer, which is malformed, for complete.
    mutating func take(_ body: RequestBody, _ allocator: ByteBufferAllocator) -> [Piece] {
        var pieces = takeAll()
        guard case .length(let length) = body.framing, !isComplete else { return pieces }
        let arriving = pieces.reduce(0) { $0 + $1.bytes.readableBytes }
        guard body.count + arriving >= length, let last = pieces.lastIndex(where: { $0.bytes.readableBytes > 0 })
        else { return pieces }
        var held = pieces.remove(at: last)
        if held.bytes.readableBytes < Self.pieceLength {
            // A slice would keep the whole buffer that it was read into.
            var copy = allocator.buffer(capacity: held.bytes.readableBytes)
            copy.writeImmutableBuffer(held.bytes)
            held.bytes = copy
        }
        waiting.append(held)
        return pieces
    }

    // MARK: Flow control

    /// So many bytes were passed on.
    ///
    /// - Returns: How many the client may send anew; nil while the server takes no more.
    mutating func giveBack(_ count: Int) -> Int? {
        if isReading { return count }
        heldBack += count
        return nil
    }

    /// - Returns: How many bytes the client may send anew; nil for none.
    mutating func setReading(_ isReading: Bool) -> Int? {
        self.isReading = isReading
        guard isReading, heldBack > 0 else { return nil }
        defer { heldBack = 0 }
        return heldBack
    }
}
