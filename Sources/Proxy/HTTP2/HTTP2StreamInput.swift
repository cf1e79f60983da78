import HTTPCore
import NIOCore

/// Received and not yet forwarded body bytes of one stream's request, and the flow-control credit owed for them.
struct HTTP2StreamInput {
    struct Piece {
        var bytes: ByteBuffer
        var flowControlled: Int
    }

    private static let pieceLength = 4096

    /// Body received before a server was found; no more than the stream's window.
    private var waiting: [Piece] = []
    /// Whether END_STREAM has come.
    var isComplete: Bool
    var trailers: [UInt8] = []
    /// Flow-controlled bytes that were passed on but not credited, while the server takes no more.
    private var heldBack = 0
    private var isReading = true

    init(isComplete: Bool = false) { self.isComplete = isComplete }

    var isEmpty: Bool { waiting.isEmpty }

    /// A piece is a slice of the read buffer and keeps all of it alive. Small waiting pieces are therefore copied
    /// together; otherwise a client could make us keep a buffer per byte.
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

    /// The part of the body that may be forwarded. The piece that completes the announced length waits for END_STREAM:
    /// otherwise an HTTP/1.1 server would take a body for complete that turns out longer, and so malformed.
    mutating func take(_ body: RequestBody, _ allocator: ByteBufferAllocator) -> [Piece] {
        var pieces = takeAll()
        guard case .length(let length) = body.framing, !isComplete else { return pieces }
        let arriving = pieces.reduce(0) { $0 + $1.bytes.readableBytes }
        guard body.count + arriving >= length, let last = pieces.lastIndex(where: { $0.bytes.readableBytes > 0 })
        else { return pieces }
        var held = pieces.remove(at: last)
        if held.bytes.readableBytes < Self.pieceLength {
            // A slice would keep the whole read buffer.
            var copy = allocator.buffer(capacity: held.bytes.readableBytes)
            copy.writeImmutableBuffer(held.bytes)
            held.bytes = copy
        }
        waiting.append(held)
        return pieces
    }

    // MARK: Flow control

    /// That many bytes were passed on.
    ///
    /// - Returns: How many more the client may send; nil while the server takes no more.
    mutating func giveBack(_ count: Int) -> Int? {
        if isReading { return count }
        heldBack += count
        return nil
    }

    /// - Returns: How many more bytes the client may send; nil for none.
    mutating func setReading(_ isReading: Bool) -> Int? {
        self.isReading = isReading
        guard isReading, heldBack > 0 else { return nil }
        defer { heldBack = 0 }
        return heldBack
    }
}
