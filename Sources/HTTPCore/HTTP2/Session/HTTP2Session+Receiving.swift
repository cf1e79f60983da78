public import NIOCore

extension HTTP2Session {
    /// What must come next, before any frame may (RFC 9113 section 3.4).
    public enum Expectation: Sendable {
        case preface(matched: Int)
        case settings
        case anyFrame
    }

    static let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// Takes what was received. Data events are slices of `bytes`, where a frame is whole in it.
    public mutating func receive(_ bytes: ByteBuffer) {
        guard !hasFailed else { return }
        if input.readableBytes == 0 {
            input = bytes
            ownsInput = false
        } else if following.readableBytes == 0 {
            following = bytes
        } else {
            following.writeImmutableBuffer(bytes)
        }
    }

    /// The next thing that happened; nil when everything received was read, and everything that may go is in the
    /// output.
    ///
    /// - Parameters:
    ///   - list: Gets the fields of a `.headers` event; good until the next call.
    ///   - now: In nanoseconds, never less than before. It bounds floods only.
    public mutating func next(headers list: inout HeaderList, at now: UInt64) -> Event? {
        self.now = now
        while true {
            if let event = queuedEvents.popFirst() { return event }
            if hasFailed {
                input = ByteBuffer()
                following = ByteBuffer()
                return nil
            }
            do throws(HTTP2Violation) {
                guard let frame = try nextFrame() else { break }
                defer { input.moveReaderIndex(to: frame.payload.upperBound) }
                if let event = try take(frame, &list) { return event }
            } catch {
                answer(error)
            }
        }
        sendQueued()
        return queuedEvents.popFirst()
    }

    /// A frame that is whole in ``input``; its header has been read.
    private mutating func nextFrame() throws(HTTP2Violation) -> HTTP2Frame? {
        if case .preface(let matched) = expectation, try !readPreface(matched) { return nil }
        while true {
            guard let frame = HTTP2Frame(at: input) else {
                guard joinFollowing(upTo: HTTP2Frame.headerLength) else { return nil }
                continue
            }
            guard frame.payload.count <= limits.maximumFrameSize else {
                throw .wrongSize("a frame is larger than SETTINGS_MAX_FRAME_SIZE")
            }
            if frame.payload.upperBound <= input.writerIndex {
                input.moveReaderIndex(to: frame.payload.lowerBound)
                return frame
            }
            guard joinFollowing(upTo: HTTP2Frame.headerLength + frame.payload.count) else { return nil }
        }
    }

    /// Brings the input to `length` bytes, as far as there are any. False if there are none.
    ///
    /// Only the rest of one frame is copied; then the buffer that it came in is read where it is.
    private mutating func joinFollowing(upTo length: Int) -> Bool {
        if input.readableBytes == 0 {
            // Lets go of the owner's buffer, which may be one that is used again.
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

    private mutating func take(_ frame: HTTP2Frame, _ list: inout HeaderList) throws(HTTP2Violation) -> Event? {
        if headerBlock != nil, frame.kind != HTTP2Frame.Kind.continuation {
            throw .malformed("a frame stands inside a header block")
        }
        if case .settings = expectation {
            guard frame.kind == HTTP2Frame.Kind.settings, !frame.flags.contains(.acknowledgement) else {
                throw .malformed("the first frame is not SETTINGS")
            }
            expectation = .anyFrame
        }
        switch frame.kind {
        case HTTP2Frame.Kind.data: return try takeData(frame)
        case HTTP2Frame.Kind.headers: return try takeHeaders(frame, &list)
        case HTTP2Frame.Kind.continuation: return try takeContinuation(frame, &list)
        case HTTP2Frame.Kind.windowUpdate: try takeWindowUpdate(frame)
        case HTTP2Frame.Kind.settings: return try takeSettings(frame)
        case HTTP2Frame.Kind.resetStream: return try takeReset(frame)
        case HTTP2Frame.Kind.ping: try takePing(frame)
        case HTTP2Frame.Kind.goAway: return try takeGoAway(frame)
        case HTTP2Frame.Kind.priority: try takePriority(frame)
        case HTTP2Frame.Kind.pushPromise: throw .malformed("PUSH_PROMISE was not allowed")
        default: try countControl()
        }
        return nil
    }

    // MARK: What several kinds of frame have in common

    func requireConnection(_ frame: HTTP2Frame) throws(HTTP2Violation) {
        guard frame.stream == 0 else { throw .malformed("a frame of the connection names a stream") }
    }

    func requireStream(_ frame: HTTP2Frame) throws(HTTP2Violation) {
        guard frame.stream != 0 else { throw .malformed("a frame of a stream names none") }
    }

    /// Whether no frame has opened the stream yet, nor a later one closed it by passing it over.
    func isIdle(_ stream: UInt32) -> Bool {
        let isOwn = (stream & 1 == 1) == (role == .client)
        return isOwn ? stream >= nextOwnStream : stream > highestPeerStream
    }

    /// The part of a padded payload that is not padding (RFC 9113 section 6.1).
    func withoutPadding(_ frame: HTTP2Frame) throws(HTTP2Violation) -> Range<Int> {
        guard frame.flags.contains(.padded) else { return frame.payload }
        guard let padding = input.getInteger(at: frame.payload.lowerBound, as: UInt8.self), !frame.payload.isEmpty
        else {
            throw .wrongSize("a padded frame has no room for its pad length")
        }
        guard Int(padding) < frame.payload.count else { throw .malformed("a frame has more padding than payload") }
        return (frame.payload.lowerBound + 1)..<(frame.payload.upperBound - Int(padding))
    }

    mutating func countControl() throws(HTTP2Violation) {
        guard controls.allows(at: now) else { throw .flood("there are too many control frames") }
    }
}
