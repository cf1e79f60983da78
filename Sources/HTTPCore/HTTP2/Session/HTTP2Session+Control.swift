import NIOCore

extension HTTP2Session {
    // MARK: SETTINGS (RFC 9113 section 6.5)

    mutating func takeSettings(_ frame: HTTP2Frame) throws(HTTP2Violation) -> Event? {
        try requireConnection(frame)
        try floods.countControl()
        guard !frame.flags.contains(.acknowledgement) else {
            guard frame.payload.isEmpty else { throw .wrongSize("a SETTINGS acknowledgement has a payload") }
            settingsAcknowledged()
            return nil
        }
        guard frame.payload.count.isMultiple(of: 6) else {
            throw .wrongSize("the length of SETTINGS is not a multiple of 6")
        }
        let windowSize = settings.peer.initialWindowSize
        var position = frame.payload.lowerBound
        while let (identifier, value) = reader.input.getSetting(at: position, before: frame.payload.upperBound) {
            try settings.peer.set(identifier, to: value, peerIsServer: role == .client)
            // The encoder must see the smallest of several sizes (RFC 7541 section 4.2).
            if identifier == HTTP2Settings.Identifier.headerTableSize {
                hpack.encoder.peerTableSizeChanged(settings.peer.headerTableSize)
            }
            position += 6
        }
        let delta = settings.peer.initialWindowSize - windowSize
        if delta != 0 { try streams.adjustSendWindows(by: delta) }
        try requireOutputCapacity()
        output.writeFrameHeader(length: 0, kind: HTTP2Frame.Kind.settings, flags: .acknowledgement, stream: 0)
        return .settings
    }

    /// From now on the peer observes what we announced.
    private mutating func settingsAcknowledged() {
        guard !settings.isAcknowledged else { return }
        let before = initialReceiveWindow
        settings.isAcknowledged = true
        let delta = initialReceiveWindow - before
        if delta != 0 { streams.adjustReceiveWindows(by: delta) }
    }

    // MARK: PING (section 6.7), PRIORITY (section 6.3)

    mutating func takePing(_ frame: HTTP2Frame) throws(HTTP2Violation) {
        try requireConnection(frame)
        guard frame.payload.count == 8,
            let payload = reader.input.getInteger(at: frame.payload.lowerBound, as: UInt64.self)
        else { throw .wrongSize("the length of a PING is not 8") }
        try floods.countControl()
        guard !frame.flags.contains(.acknowledgement) else { return }
        try requireOutputCapacity()
        output.writeFrameHeader(length: 8, kind: HTTP2Frame.Kind.ping, flags: .acknowledgement, stream: 0)
        output.writeInteger(payload)
    }

    /// Priorities of RFC 7540 are ignored.
    mutating func takePriority(_ frame: HTTP2Frame) throws(HTTP2Violation) {
        try requireStream(frame)
        try floods.countControl()
        guard frame.payload.count == 5,
            let dependency = reader.input.getInteger(at: frame.payload.lowerBound, as: UInt32.self)
        else { throw streamViolation(frame.stream, .frameSizeError, "the length of PRIORITY is not 5") }
        guard dependency & 0x7fff_ffff != frame.stream else {
            throw streamViolation(frame.stream, .protocolError, "a stream depends on itself")
        }
    }

    /// An idle stream cannot be reset (section 6.4): there the connection must end instead.
    private func streamViolation(
        _ stream: UInt32,
        _ code: HTTP2ErrorCode,
        _ reason: StaticString
    ) -> HTTP2Violation {
        isIdle(stream) ? .connection(code, reason) : .stream(stream, code)
    }

    // MARK: WINDOW_UPDATE (section 6.9)

    mutating func takeWindowUpdate(_ frame: HTTP2Frame) throws(HTTP2Violation) {
        guard frame.payload.count == 4,
            let word = reader.input.getInteger(at: frame.payload.lowerBound, as: UInt32.self)
        else { throw .wrongSize("the length of WINDOW_UPDATE is not 4") }
        try floods.countWindowUpdate()
        let increment = Int(word & 0x7fff_ffff)
        guard frame.stream != 0 else {
            guard increment > 0 else { throw .malformed("WINDOW_UPDATE adds nothing") }
            return try flow.widenSending(by: increment)
        }
        guard !isIdle(frame.stream) else { throw .malformed("WINDOW_UPDATE comes on a stream that was not opened") }
        guard increment > 0 else { throw .stream(frame.stream, .protocolError) }
        // It may have been under way when the stream ended.
        guard let index = streams.slot(of: frame.stream) else { return }
        guard streams[index].sendWindow + increment <= HTTP2Settings.largestWindow else {
            throw .stream(frame.stream, .flowControlError)
        }
        streams[index].sendWindow += increment
        streams.updateReady(index)
    }

    // MARK: RST_STREAM (section 6.4), GOAWAY (section 6.8)

    mutating func takeReset(_ frame: HTTP2Frame) throws(HTTP2Violation) -> Event? {
        try requireStream(frame)
        guard frame.payload.count == 4,
            let code = reader.input.getInteger(at: frame.payload.lowerBound, as: UInt32.self)
        else { throw .wrongSize("the length of RST_STREAM is not 4") }
        guard !isIdle(frame.stream) else { throw .malformed("RST_STREAM comes on a stream that was not opened") }
        guard let index = streams.slot(of: frame.stream) else {
            if role == .server { try floods.countControl() }
            return nil
        }
        remove(index, .resetByPeer)
        try countReset()
        return .reset(stream: frame.stream, code: HTTP2ErrorCode(rawValue: code), byPeer: true)
    }

    mutating func takeGoAway(_ frame: HTTP2Frame) throws(HTTP2Violation) -> Event? {
        try requireConnection(frame)
        try floods.countControl()
        guard frame.payload.count >= 8,
            let lastStream = reader.input.getInteger(at: frame.payload.lowerBound, as: UInt32.self),
            let code = reader.input.getInteger(at: frame.payload.lowerBound + 4, as: UInt32.self)
        else { throw .wrongSize("GOAWAY is shorter than 8 octets") }
        ending.hasReceivedGoAway = true
        let last = lastStream & 0x7fff_ffff
        if role == .client { giveUpStreams(above: last) }
        return .goAway(lastStream: last, code: HTTP2ErrorCode(rawValue: code))
    }

    /// The server has not acted on these streams.
    private mutating func giveUpStreams(above last: UInt32) {
        for id in streams.identifiers(above: last) {
            guard let index = streams.slot(of: id) else { continue }
            remove(index, .resetByPeer)
            queuedEvents.append(.reset(stream: id, code: .refusedStream, byPeer: true))
        }
    }

    /// Only clients start work here by opening streams; a server's resets end our own requests.
    mutating func countReset() throws(HTTP2Violation) {
        guard role == .client || floods.allowsReset() else { throw .flood("too many streams are reset") }
    }

    private func requireOutputCapacity() throws(HTTP2Violation) {
        guard output.readableBytes <= limits.sending.maximumUnsentOutput else {
            throw .flood("the peer sends, but does not read responses")
        }
    }
}

extension ByteBuffer {
    fileprivate func getSetting(at index: Int, before end: Int) -> (UInt16, UInt32)? {
        guard index + 6 <= end, let identifier = getInteger(at: index, as: UInt16.self),
            let value = getInteger(at: index + 2, as: UInt32.self)
        else { return nil }
        return (identifier, value)
    }
}
