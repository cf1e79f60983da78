extension HTTP2Session {
    // MARK: Requests of the owner

    /// Ends a stream at once; queued data is dropped.
    public mutating func reset(stream: UInt32, code: HTTP2ErrorCode) {
        guard !hasFailed, let index = streams.slot(of: stream) else { return }
        remove(index, .resetByUs)
        output.writeResetStream(stream, code)
        // The owner found a message malformed: another way for a client to make us begin and drop work.
        guard code == .protocolError, role == .server else { return }
        if !floods.allowsReset() { fail(.enhanceYourCalm, "too many streams are reset") }
    }

    /// Accepts no more streams; open ones continue. A client's newer ones get REFUSED_STREAM, so that it tries them
    /// elsewhere. With any code but NO_ERROR, the owner has to close the connection once this is written.
    public mutating func goAway(code: HTTP2ErrorCode) {
        guard !hasFailed, ending.allowsStreams || code != .noError else { return }
        let last = ending.lastStreamForPeer ?? history.highestPeerStream
        ending.own = .goAway(lastStream: last)
        output.writeGoAway(lastStream: last, code, reason: "")
    }

    // MARK: Violations

    mutating func handle(_ violation: HTTP2Violation) {
        switch violation {
        case .connection(let code, let reason): fail(code, reason)
        case .stream(let stream, let code): failStream(stream, code)
        }
    }

    private mutating func fail(_ code: HTTP2ErrorCode, _ reason: StaticString) {
        guard !hasFailed else { return }
        let last = ending.lastStreamForPeer ?? history.highestPeerStream
        ending.own = .failed
        output.writeGoAway(lastStream: last, code, reason: reason)
        queuedEvents.append(.connectionError(code: code, reason: reason))
        reader.dropHeaderBlock()
        streams = HTTP2StreamTable()
    }

    private mutating func failStream(_ stream: UInt32, _ code: HTTP2ErrorCode) {
        guard !hasFailed else { return }
        if let index = streams.slot(of: stream) {
            remove(index, .resetByUs)
            output.writeResetStream(stream, code)
            queuedEvents.append(.reset(stream: stream, code: code, byPeer: false))
        } else {
            resetUnknown(stream, code)
        }
        // Provoking our resets costs a client as little, and us as much, as sending its own.
        if role == .server, !floods.allowsReset() { fail(.enhanceYourCalm, "too many streams are reset") }
    }

    /// Resets a stream that the owner never saw, or that has ended.
    mutating func resetUnknown(_ stream: UInt32, _ code: HTTP2ErrorCode) {
        history.note(stream, .resetByUs)
        output.writeResetStream(stream, code)
    }

    // MARK: The end of a stream

    /// Our message is out, and the rest of the peer's is not wanted.
    mutating func resetUnwanted(_ index: Int) {
        let id = streams[index].id
        remove(index, .resetByUs)
        output.writeResetStream(id, .noError)
    }

    mutating func remove(_ index: Int, _ ending: HTTP2StreamHistory.Ending) {
        history.note(streams[index].id, ending)
        returnToConnection(streams[index].receiving.unconsumed)
        streams.remove(at: index)
    }
}
