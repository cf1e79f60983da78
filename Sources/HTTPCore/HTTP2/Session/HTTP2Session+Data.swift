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
        guard let index = streams.slot(of: frame.stream) else {
            returnToConnection(length)
            try takeDataOnClosed(frame.stream)
            return nil
        }
        do throws(HTTP2Violation) {
            try accept(length, content.count, index)
        } catch {
            returnToConnection(length)
            throw error
        }
        streams[index].receiving.received(length)
        let isUnwanted = streams[index].isUnwanted
        if endStream { try closeRemote(index, checksLength: true) }
        if isUnwanted {
            consumed(stream: frame.stream, length)
            return nil
        }
        let bytes = reader.slice(content)
        return .data(stream: frame.stream, bytes: bytes, flowControlled: length, endStream: endStream)
    }

    private mutating func accept(_ length: Int, _ contentLength: Int, _ index: Int) throws(HTTP2Violation) {
        let id = streams[index].id
        guard !streams[index].isRemoteClosed else { throw .stream(id, .streamClosed) }
        // A response begins with its head.
        guard streams[index].hasHead else { throw .stream(id, .protocolError) }
        guard length <= streams[index].receiving.window else { throw .stream(id, .flowControlError) }
        streams[index].receiving.window -= length
        streams[index].content.received += contentLength
        if streams[index].content.isTooLong { throw .stream(id, .protocolError) }
    }

    private mutating func takeDataOnClosed(_ stream: UInt32) throws(HTTP2Violation) {
        guard !isIdle(stream) else { throw .malformed("DATA come on a stream that was not opened") }
        // A server's response to a request that we cancelled: clients do not control how late it comes.
        guard role == .server else { return }
        switch history.ending(of: stream) {
        // Bytes that were under way. They are bounded by the connection's window.
        case .resetByUs: return
        case .resetByPeer: throw .stream(stream, .streamClosed)
        case .ended, nil: throw .connection(.streamClosed, "DATA come on a stream that has ended")
        }
    }

    /// The peer has sent END_STREAM.
    mutating func closeRemote(_ index: Int, checksLength: Bool) throws(HTTP2Violation) {
        streams[index].isRemoteClosed = true
        if checksLength, !streams[index].content.isWhole { throw .stream(streams[index].id, .protocolError) }
        if streams[index].isLocalClosed { remove(index, .ended) }
    }

    // MARK: Reports of the owner

    /// Checks DATA against the length in a message's Content-Length (RFC 9113 section 8.1.1): a different length is a
    /// stream error. Not for the response to HEAD nor for one with status 304, whose announced length does not follow.
    public mutating func expectLength(stream: UInt32, _ length: Int) {
        guard let index = streams.slot(of: stream) else { return }
        streams[index].content.expected = length
        let content = streams[index].content
        if content.isTooLong || streams[index].isRemoteClosed && !content.isWhole {
            handle(.stream(stream, .protocolError))
        }
    }

    /// `count` flow-controlled bytes of a stream were passed on: the peer may send as many more. It is credited in
    /// steps of half a window, so that most bodies need no WINDOW_UPDATE at all.
    public mutating func consumed(stream: UInt32, _ count: Int) {
        // A closed stream returned its share when it ended.
        guard let index = streams.slot(of: stream) else { return }
        let returned = streams[index].receiving.consume(count)
        returnToConnection(returned)
        guard !streams[index].isRemoteClosed, !streams[index].isUnwanted else { return }
        streams[index].receiving.unreturned += returned
        let unreturned = streams[index].receiving.unreturned
        if 2 * unreturned >= limits.streamWindow, unreturned > 0, !hasFailed {
            output.writeWindowUpdate(stream, unreturned)
            streams[index].receiving.window += unreturned
            streams[index].receiving.unreturned = 0
        }
    }

    /// As ``consumed(stream:_:)``, but only for the connection's window: the owner widens the stream's.
    public mutating func passedOn(stream: UInt32, _ count: Int) {
        guard let index = streams.slot(of: stream) else { return }
        let returned = streams[index].receiving.consume(count)
        returnToConnection(returned)
    }

    /// Bytes that the peer may still send on a stream; nil if it may send nothing more, whatever its window.
    @inlinable
    public func receiveWindow(ofStream stream: UInt32) -> Int? {
        guard let index = streams.slot(of: stream), !streams[index].isRemoteClosed, !streams[index].isUnwanted else {
            return nil
        }
        return streams[index].receiving.window
    }

    /// Lets the peer send that many bytes on a stream. Does nothing if it may send as many already.
    public mutating func widen(stream: UInt32, to window: Int) {
        guard let index = streams.slot(of: stream), !hasFailed else { return }
        let more = window - streams[index].receiving.window
        guard more > 0 else { return }
        output.writeWindowUpdate(stream, more)
        streams[index].receiving.window += more
    }

    /// The rest of the peer's message is not wanted: it is dropped, within the window that the peer has already. Once
    /// our own message is out, the stream is reset with NO_ERROR (RFC 9113 section 8.1).
    public mutating func stopReading(stream: UInt32) {
        guard let index = streams.slot(of: stream), !streams[index].isUnwanted else { return }
        streams[index].isUnwanted = true
        returnToConnection(streams[index].receiving.consume(.max))
        if streams[index].isLocalClosed { resetUnwanted(index) }
    }

    /// In steps that do not grow with the window: unreturned credit is missing to streams that could use it, while
    /// others hold their share.
    mutating func returnToConnection(_ count: Int) {
        flow.passedOn(count)
        guard !hasFailed else { return }
        let step = min((limits.connectionWindow + 1) / 2, HTTP2Settings.initialWindow)
        let returned = flow.takeReturned(inStepsOf: step)
        if returned > 0 { output.writeWindowUpdate(0, returned) }
    }
}
