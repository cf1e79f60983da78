public import NIOCore

/// Received bytes that were not read yet, cut into frames, and what must come next in them.
@usableFromInline
struct HTTP2FrameReader: Sendable {
    /// What must come before any other frame (RFC 9113 sections 3.4 and 6.10).
    @usableFromInline
    enum Expectation: Sendable {
        case preface(matched: Int)
        case settings
        case anyFrame
        /// The rest of a header block, which no other frame may interrupt.
        case continuation(HTTP2HeaderBlock)
    }

    static let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// The payload of a complete frame is here.
    @usableFromInline private(set) var input = ByteBuffer()
    /// Whether ``input`` is our own copy of an incomplete frame, not the owner's buffer.
    private var ownsInput = false
    private var following = ByteBuffer()
    @usableFromInline var expectation: Expectation

    init(expecting expectation: Expectation) { self.expectation = expectation }

    /// Whether the preface or a header section has begun and not ended: no other frame may come before its end.
    @inlinable var isInsideHeaders: Bool {
        switch expectation {
        case .continuation: return true
        case .preface(let matched): if matched > 0 { return true }
        case .settings, .anyFrame: break
        }
        return input.getInteger(at: input.readerIndex + 3, as: UInt8.self) == HTTP2Frame.Kind.headers
    }

    func slice(_ range: Range<Int>) -> ByteBuffer {
        input.getSlice(at: range.lowerBound, length: range.count) ?? ByteBuffer()
    }

    mutating func receive(_ bytes: ByteBuffer) {
        if input.readableBytes == 0 {
            input = bytes
            ownsInput = false
        } else if following.readableBytes == 0 {
            following = bytes
        } else {
            following.writeImmutableBuffer(bytes)
        }
    }

    /// Releases everything received.
    mutating func dropInput() {
        input = ByteBuffer()
        following = ByteBuffer()
    }

    mutating func dropHeaderBlock() {
        if case .continuation = expectation { expectation = .anyFrame }
    }

    // MARK: Frames

    /// A frame that is complete in ``input``; its header has been read. ``pass(_:)`` follows.
    mutating func nextFrame(maximumSize: Int) throws(HTTP2Violation) -> HTTP2Frame? {
        if case .preface(let matched) = expectation, try !readPreface(matched) { return nil }
        while true {
            guard let frame = HTTP2Frame(at: input) else {
                guard joinFollowing(upTo: HTTP2Frame.headerLength) else { return nil }
                continue
            }
            guard frame.payload.count <= maximumSize else {
                throw .wrongSize("a frame is larger than SETTINGS_MAX_FRAME_SIZE")
            }
            if frame.payload.upperBound <= input.writerIndex {
                input.moveReaderIndex(to: frame.payload.lowerBound)
                return frame
            }
            guard joinFollowing(upTo: HTTP2Frame.headerLength + frame.payload.count) else { return nil }
        }
    }

    mutating func pass(_ frame: HTTP2Frame) { input.moveReaderIndex(to: frame.payload.upperBound) }

    /// Whether the frame may come now.
    mutating func check(_ frame: HTTP2Frame) throws(HTTP2Violation) {
        switch expectation {
        case .anyFrame: break
        case .continuation:
            guard frame.kind == HTTP2Frame.Kind.continuation else {
                throw .malformed("a frame stands inside a header block")
            }
        case .settings, .preface:
            guard frame.kind == HTTP2Frame.Kind.settings, !frame.flags.contains(.acknowledgement) else {
                throw .malformed("the first frame is not SETTINGS")
            }
            expectation = .anyFrame
        }
    }

    /// Extends the input to `length` bytes, as far as there are any. False if there are none.
    ///
    /// Only the rest of one frame is copied; after that the received buffer is read directly.
    private mutating func joinFollowing(upTo length: Int) -> Bool {
        if input.readableBytes == 0 {
            // Release the owner's buffer, which it may reuse.
            input = following
            following = ByteBuffer()
            ownsInput = false
            return input.readableBytes > 0
        }
        if !ownsInput {
            var kept = ByteBufferAllocator().buffer(capacity: input.readableBytes)
            kept.writeImmutableBuffer(input)
            input = kept
            ownsInput = true
        }
        let missing = min(length - input.readableBytes, following.readableBytes)
        guard missing > 0, let piece = following.readSlice(length: missing) else {
            following = ByteBuffer()
            return false
        }
        input.writeImmutableBuffer(piece)
        return true
    }

    /// False while the preface is incomplete.
    private mutating func readPreface(_ alreadyMatched: Int) throws(HTTP2Violation) -> Bool {
        var matched = alreadyMatched
        while matched < Self.preface.utf8CodeUnitCount {
            guard let byte = input.readInteger(as: UInt8.self) else {
                expectation = .preface(matched: matched)
                guard joinFollowing(upTo: HTTP2Frame.headerLength) else { return false }
                continue
            }
            guard byte == Self.preface.utf8Start[matched] else {
                throw .malformed("the connection does not begin with the client preface")
            }
            matched += 1
        }
        expectation = .settings
        return true
    }
}

/// A header block whose last frame has not come.
@usableFromInline
struct HTTP2HeaderBlock: Sendable {
    let stream: UInt32
    let endStream: Bool
    let dependsOnItself: Bool
    private(set) var bytes: ByteBuffer
    private var continuations = 0

    init(_ fragment: ByteBuffer, stream: UInt32, endStream: Bool, dependsOnItself: Bool) {
        self.stream = stream
        self.endStream = endStream
        self.dependsOnItself = dependsOnItself
        bytes = ByteBufferAllocator().buffer(capacity: 2 * fragment.readableBytes)
        bytes.writeImmutableBuffer(fragment)
    }

    /// Adds the fragment of a CONTINUATION frame.
    mutating func append(_ fragment: ByteBuffer, _ limits: HTTP2Limits) throws(HTTP2Violation) {
        continuations += 1
        guard continuations <= limits.floods.maximumContinuations else {
            throw .flood("a header block has too many CONTINUATION frames")
        }
        guard bytes.readableBytes + fragment.readableBytes <= limits.maximumHeaderBlock else {
            throw .flood("a header block is far larger than allowed")
        }
        bytes.writeImmutableBuffer(fragment)
    }
}
