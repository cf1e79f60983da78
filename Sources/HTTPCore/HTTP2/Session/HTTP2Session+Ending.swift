extension HTTP2Session {
    // MARK: What the owner asks for

    /// Ends a stream at once; what was queued for it is dropped.
    public mutating func reset(stream: UInt32, code: HTTP2ErrorCode) {
        guard !hasFailed, let place = streams.place(of: stream) else { return }
        remove(place, .resetByUs)
        output.writeResetStream(stream, code)
        // The owner found a message malformed: one more way for a client to have us begin and drop work.
        guard code == .protocolError, role == .server else { return }
        if !floods.allowsReset() { fail(.enhanceYourCalm, "too many streams are reset") }
    }

    /// Takes no more streams; those that are open go on. A client's newer ones are answered REFUSED_STREAM, so that it
    /// tries them elsewhere. With any code but NO_ERROR, the owner is to close the connection once this is written.
    public mutating func goAway(code: HTTP2ErrorCode) {
        guard !hasFailed, ending.allowsStreams || code != .noError else { return }
        let last = ending.lastStreamForPeer ?? history.highestPeerStream
        ending.own = .goAway(lastStream: last)
        output.writeGoAway(lastStream: last, code, reason: "")
    }

    // MARK: What a violation does

    mutating func answer(_ violation: HTTP2Violation) {
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
        if let place = streams.place(of: stream) {
            remove(place, .resetByUs)
            output.writeResetStream(stream, code)
            queuedEvents.append(.reset(stream: stream, code: code, byPeer: false))
        } else {
            resetUnknown(stream, code)
        }
        // Provoking our resets is as cheap for a client, and as dear for us, as sending its own.
        if role == .server, !floods.allowsReset() { fail(.enhanceYourCalm, "too many streams are reset") }
    }

    /// Resets a stream that the owner never saw, or that is gone.
    mutating func resetUnknown(_ stream: UInt32, _ code: HTTP2ErrorCode) {
        history.note(stream, .resetByUs)
        output.writeResetStream(stream, code)
    }

    // MARK: What the end of a stream does

    /// Our message is out, and the rest of the peer's is not wanted.
    mutating func resetUnwanted(_ place: Int) {
        let id = streams[place].id
        remove(place, .resetByUs)
        output.writeResetStream(id, .noError)
    }

    mutating func remove(_ place: Int, _ ending: HTTP2StreamHistory.Ending) {
        history.note(streams[place].id, ending)
        returnToConnection(streams[place].receiving.unconsumed)
        streams.remove(at: place)
    }
}
