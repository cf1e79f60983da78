public import NIOCore

extension HTTP2Session {
    /// Takes received bytes. Data events are slices of `bytes` if the frame is complete in it.
    public mutating func receive(_ bytes: ByteBuffer) {
        guard !hasFailed else { return }
        reader.receive(bytes)
    }

    /// The next event; nil when everything received was read, and everything that may be sent is in the output.
    ///
    /// - Parameters:
    ///   - list: Gets the fields of a `.headers` event; valid until the next call.
    ///   - now: In nanoseconds, never less than before. It bounds floods only.
    public mutating func next(headers list: inout HeaderList, at now: UInt64) -> Event? {
        floods.now = now
        while true {
            if let event = queuedEvents.popFirst() { return event }
            if hasFailed {
                reader.dropInput()
                return nil
            }
            do throws(HTTP2Violation) {
                guard let frame = try reader.nextFrame(maximumSize: limits.maximumFrameSize) else { break }
                defer { reader.pass(frame) }
                if let event = try take(frame, &list) { return event }
            } catch {
                handle(error)
            }
        }
        sendQueued()
        return queuedEvents.popFirst()
    }

    private mutating func take(_ frame: HTTP2Frame, _ list: inout HeaderList) throws(HTTP2Violation) -> Event? {
        try reader.check(frame)
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
        default: try floods.countControl()
        }
        return nil
    }

    // MARK: Common parts of frames

    func requireConnection(_ frame: HTTP2Frame) throws(HTTP2Violation) {
        guard frame.stream == 0 else { throw .malformed("a frame of the connection names a stream") }
    }

    func requireStream(_ frame: HTTP2Frame) throws(HTTP2Violation) {
        guard frame.stream != 0 else { throw .malformed("a frame of a stream names none") }
    }

    /// Whether no frame has opened the stream yet, nor a later stream closed it implicitly.
    func isIdle(_ stream: UInt32) -> Bool {
        history.isIdle(stream, role)
    }

    /// The part of a padded payload that is not padding (RFC 9113 section 6.1).
    func withoutPadding(_ frame: HTTP2Frame) throws(HTTP2Violation) -> Range<Int> {
        guard frame.flags.contains(.padded) else { return frame.payload }
        guard let padding = reader.input.getInteger(at: frame.payload.lowerBound, as: UInt8.self),
            !frame.payload.isEmpty
        else {
            throw .wrongSize("a padded frame is too short for its pad length")
        }
        guard Int(padding) < frame.payload.count else { throw .malformed("a frame has more padding than payload") }
        return (frame.payload.lowerBound + 1)..<(frame.payload.upperBound - Int(padding))
    }
}
