import NIOCore

extension HTTP2Session {
    // MARK: Frames (RFC 9113 sections 6.2 and 6.10)

    mutating func takeHeaders(_ frame: HTTP2Frame, _ list: inout HeaderList) throws(HTTP2Violation) -> Event? {
        try requireStream(frame)
        guard frame.stream & 1 == 1 else { throw .malformed("HEADERS come on a stream that a server would open") }
        var fragment = try withoutPadding(frame)
        var dependsOnItself = false
        if frame.flags.contains(.priority) {
            guard fragment.count >= 5, let word = reader.input.getInteger(at: fragment.lowerBound, as: UInt32.self)
            else {
                throw .wrongSize("HEADERS are too short for their priority")
            }
            dependsOnItself = word & 0x7fff_ffff == frame.stream
            fragment = (fragment.lowerBound + 5)..<fragment.upperBound
        }
        let endStream = frame.flags.contains(.endStream)
        guard frame.flags.contains(.endHeaders) else {
            let block = HTTP2HeaderBlock(
                reader.slice(fragment),
                stream: frame.stream,
                endStream: endStream,
                dependsOnItself: dependsOnItself
            )
            reader.expectation = .continuation(block)
            return nil
        }
        list.reset(maximumSize: limits.maximumHeaderListSize, maximumFields: limits.maximumFields)
        try Self.decode(reader.input, fragment, with: &hpack.decoder, into: &list)
        return try takeHeaderList(frame.stream, endStream, dependsOnItself, &list)
    }

    mutating func takeContinuation(_ frame: HTTP2Frame, _ list: inout HeaderList) throws(HTTP2Violation) -> Event? {
        guard case .continuation(var block) = reader.expectation, block.stream == frame.stream else {
            throw .malformed("CONTINUATION does not continue a header block")
        }
        // Moved out and back, so that its bytes are not copied on write.
        reader.expectation = .anyFrame
        try block.append(reader.slice(frame.payload), limits)
        guard frame.flags.contains(.endHeaders) else {
            reader.expectation = .continuation(block)
            return nil
        }
        list.reset(maximumSize: limits.maximumHeaderListSize, maximumFields: limits.maximumFields)
        let whole = block.bytes.readerIndex..<block.bytes.writerIndex
        try Self.decode(block.bytes, whole, with: &hpack.decoder, into: &list)
        return try takeHeaderList(block.stream, block.endStream, block.dependsOnItself, &list)
    }

    private static func decode(
        _ buffer: ByteBuffer,
        _ range: Range<Int>,
        with decoder: inout HPACKDecoder,
        into list: inout HeaderList
    ) throws(HTTP2Violation) {
        let start = range.lowerBound - buffer.readerIndex
        do throws(HPACKFailure) {
            let block = buffer.readableBytesUInt8Span.extracting(start..<(start + range.count))
            try decoder.decode(block, into: &list)
        } catch {
            throw .connection(.compressionError, "a header block cannot be decoded")
        }
    }

    // MARK: Header sections (RFC 9113 section 5.1)

    /// Every block is decoded first, even if it is then dropped, so that the dynamic tables stay in step.
    private mutating func takeHeaderList(
        _ stream: UInt32,
        _ endStream: Bool,
        _ dependsOnItself: Bool,
        _ list: inout HeaderList
    ) throws(HTTP2Violation) -> Event? {
        guard let index = streams.slot(of: stream) else {
            guard isIdle(stream) else {
                try takeHeadersOnClosed(stream)
                return nil
            }
            guard role == .server else { throw .malformed("HEADERS come on a stream that was not opened") }
            return try open(stream, endStream, dependsOnItself)
        }
        guard !dependsOnItself else { throw .stream(stream, .protocolError) }
        guard !streams[index].isRemoteClosed else { throw .stream(stream, .streamClosed) }
        var kind = HeaderKind.trailers
        if streams[index].hasHead {
            guard endStream else { throw .stream(stream, .protocolError) }
        } else {
            kind = .initial
            let isInterim = list.isInterimResponse
            // RFC 9113 section 8.1: an interim response does not end a stream.
            guard !isInterim || !endStream else { throw .stream(stream, .protocolError) }
            streams[index].hasHead = !isInterim
        }
        let isUnwanted = streams[index].isUnwanted
        // The length announced by a head is unknown until the owner has read the head.
        if endStream { try closeRemote(index, checksLength: kind == .trailers) }
        return isUnwanted ? nil : .headers(stream: stream, endStream: endStream, kind: kind)
    }

    /// A client's request: each opens a stream above all earlier ones (RFC 9113 section 5.1.1).
    private mutating func open(
        _ stream: UInt32,
        _ endStream: Bool,
        _ dependsOnItself: Bool
    ) throws(HTTP2Violation) -> Event? {
        history.highestPeerStream = stream
        guard !dependsOnItself else { throw .stream(stream, .protocolError) }
        guard ending.allowsStreams, streams.count < limits.maximumStreams,
            streams.queuedLength < limits.sending.maximumQueued
        else {
            try floods.countRefusal()
            resetUnknown(stream, .refusedStream)
            return nil
        }
        floods.streamOpened()
        var opened = HTTP2Stream(
            id: stream,
            sendWindow: settings.peer.initialWindowSize,
            receiveWindow: initialReceiveWindow
        )
        opened.hasHead = true
        opened.isRemoteClosed = endStream
        streams.insert(opened)
        return .headers(stream: stream, endStream: endStream, kind: .initial)
    }

    private mutating func takeHeadersOnClosed(_ stream: UInt32) throws(HTTP2Violation) {
        // A server's response to a request that we cancelled: clients do not control how late it comes.
        guard role == .server else { return }
        switch history.ending(of: stream) {
        case .resetByUs: try floods.countControl()
        case .resetByPeer: throw .stream(stream, .streamClosed)
        case .ended: throw .connection(.streamClosed, "HEADERS come on a stream that has ended")
        case nil: throw .malformed("HEADERS come on a stream below an earlier one")
        }
    }
}

extension HeaderList {
    /// Whether its status is 1xx. Pseudo-header fields come first (RFC 9113 section 8.3).
    fileprivate var isInterimResponse: Bool {
        guard let field = fields.first else { return false }
        let bytes = self.bytes.span
        return bytes.isCaseInsensitively(":status", field.name) && field.value.count == 3
            && bytes[field.value.lowerBound] == UInt8(ascii: "1")
    }
}
