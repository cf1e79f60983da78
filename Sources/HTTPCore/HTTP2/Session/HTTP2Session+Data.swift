import NIOCore

extension HTTP2Session {
    // MARK: DATA (RFC 9113 section 6.1)

    mutating func takeData(_ frame: HTTP2Frame) throws(HTTP2Violation) -> Event? {
        try requireStream(frame)
        let content = try withoutPadding(frame)
        let endStream = frame.flags.contains(.endStream)
        let length = frame.payload.count
        try flow.received(length)
        if content.isEmpty, !endStream { try floods.countEmptyFrame() }
        guard let place = streams.place(of: frame.stream) else {
            returnToConnection(length)
            try takeDataOnClosed(frame.stream)
            return nil
        }
        do throws(HTTP2Violation) {
            try accept(length, content.count, place)
        } catch {
            returnToConnection(length)
            throw error
        }
        streams[place].receiving.received(length)
        let isUnwanted = streams[place].isUnwanted
        if endStream { try closeRemote(place, checksLength: true) }
        if isUnwanted {
            consumed(stream: frame.stream, length)
            return nil
        }
        let bytes = reader.slice(content)
        return .data(stream: frame.stream, bytes: bytes, flowControlled: length, endStream: endStream)
    }

    private mutating func accept(_ length: Int, _ contentLength: Int, _ place: Int) throws(HTTP2Violation) {
        let id = streams[place].id
        guard !streams[place].isRemoteClosed else { throw .stream(id, .streamClosed) }
        // A response begins with its head.
        guard streams[place].hasHead else { throw .stream(id, .protocolError) }
        guard length <= streams[place].receiving.window else { throw .stream(id, .flowControlError) }
        streams[place].receiving.window -= length
        streams[place].content.received += contentLength
        if streams[place].content.isTooLong { throw .stream(id, .protocolError) }
    }

    private mutating func takeDataOnClosed(_ stream: UInt32) throws(HTTP2Violation) {
        guard !isIdle(stream) else { throw .malformed("DATA come on a stream that was not opened") }
        // A server's answer to what we gave up: how late it comes is not for our clients to decide.
        guard role == .server else { return }
        switch history.ending(of: stream) {
        // What was under way. It is bounded by the connection's window.
        case .resetByUs: return
        case .resetByPeer: throw .stream(stream, .streamClosed)
        case .ended, nil: throw .connection(.streamClosed, "DATA come on a stream that has ended")
        }
    }

    /// The peer has sent END_STREAM.
    mutating func closeRemote(_ place: Int, checksLength: Bool) throws(HTTP2Violation) {
        streams[place].isRemoteClosed = true
        if checksLength, !streams[place].content.isWhole { throw .stream(streams[place].id, .protocolError) }
        if streams[place].isLocalClosed { remove(place, .ended) }
    }

    // MARK: What the owner says of what it received

    /// Has DATA counted against the length that a message's Content-Length announced (RFC 9113 section 8.1.1): another
    /// length is a stream error. Not for an answer to HEAD nor for one with status 304, which announce a length that
    /// does not follow.
    public mutating func expectLength(stream: UInt32, _ length: Int) {
        guard let place = streams.place(of: stream) else { return }
        streams[place].content.expected = length
        let content = streams[place].content
        if content.isTooLong || streams[place].isRemoteClosed && !content.isWhole {
            answer(.stream(stream, .protocolError))
        }
    }

    /// `count` flow-controlled bytes of a stream were passed on: the peer may send as many more. It is told when half a
    /// window has come together, so that most bodies cost no WINDOW_UPDATE at all.
    public mutating func consumed(stream: UInt32, _ count: Int) {
        // A stream that is gone gave its share back when it went.
        guard let place = streams.place(of: stream) else { return }
        let returned = streams[place].receiving.consume(count)
        returnToConnection(returned)
        guard !streams[place].isRemoteClosed, !streams[place].isUnwanted else { return }
        streams[place].receiving.unreturned += returned
        let unreturned = streams[place].receiving.unreturned
        if 2 * unreturned >= limits.streamWindow, unreturned > 0, !hasFailed {
            output.writeWindowUpdate(stream, unreturned)
            streams[place].receiving.window += unreturned
            streams[place].receiving.unreturned = 0
        }
    }

    /// As ``consumed(stream:_:)``, but only the connection's window is widened again: the owner widens the stream's.
    public mutating func passedOn(stream: UInt32, _ count: Int) {
        guard let place = streams.place(of: stream) else { return }
        let returned = streams[place].receiving.consume(count)
        returnToConnection(returned)
    }

    /// Bytes that the peer may still send on a stream; nil if it may send nothing more, whatever its window.
    @inlinable
    public func receiveWindow(ofStream stream: UInt32) -> Int? {
        guard let place = streams.place(of: stream), !streams[place].isRemoteClosed, !streams[place].isUnwanted else {
            return nil
        }
        return streams[place].receiving.window
    }

    /// Lets the peer send so many bytes on a stream. Nothing happens if it may send as many already.
    public mutating func widen(stream: UInt32, to window: Int) {
        guard let place = streams.place(of: stream), !hasFailed else { return }
        let more = window - streams[place].receiving.window
        guard more > 0 else { return }
        output.writeWindowUpdate(stream, more)
        streams[place].receiving.window += more
    }

    /// The rest of the peer's message is not wanted: it is read past, within the window that the peer has already. Once
    /// our own message is out, the stream is reset with NO_ERROR (RFC 9113 section 8.1).
    public mutating func stopReading(stream: UInt32) {
        guard let place = streams.place(of: stream), !streams[place].isUnwanted else { return }
        streams[place].isUnwanted = true
        returnToConnection(streams[place].receiving.consume(.max))
        if streams[place].isLocalClosed { resetUnwanted(place) }
    }

    /// In steps that do not grow with the window: what is not returned yet is missing to the streams that could use it,
    /// while others hold their share.
    mutating func returnToConnection(_ count: Int) {
        flow.passedOn(count)
        guard !hasFailed else { return }
        let step = min((limits.connectionWindow + 1) / 2, HTTP2Settings.initialWindow)
        let returned = flow.takeReturned(inStepsOf: step)
        if returned > 0 { output.writeWindowUpdate(0, returned) }
    }
}
