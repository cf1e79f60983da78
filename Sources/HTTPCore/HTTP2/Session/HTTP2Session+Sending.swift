public import NIOCore

extension HTTP2Session {
    /// Opens the next stream of a client; ``sendHeaders(stream:endStream:encode:)`` must follow before another is
    /// opened. Nil if the peer's limit, a GOAWAY or the end of the identifiers forbids it.
    public mutating func openStream() -> UInt32? {
        guard availableStreams > 0 else { return nil }
        let id = history.takeOwnStream()
        streams.insert(
            HTTP2Stream(id: id, sendWindow: settings.peer.initialWindowSize, receiveWindow: initialReceiveWindow)
        )
        return id
    }

    /// Sends a request, a response or an interim response. Does nothing if the stream has ended.
    ///
    /// - Parameter encode: Writes the fields, each with its `encode`. It runs before this returns.
    public mutating func sendHeaders(
        stream: UInt32,
        endStream: Bool,
        encode: (inout HPACKEncoder, inout ByteBuffer) -> Void
    ) {
        guard let index = sendingSlot(stream), !streams[index].queue.hasEnded else { return }
        let start = output.writerIndex
        output.writeFrameHeader(length: 0, kind: HTTP2Frame.Kind.headers, flags: [], stream: stream)
        hpack.encoder.beginBlock(to: &output)
        encode(&hpack.encoder, &output)
        finishHeaders(from: start, stream, endStream: endStream)
        if endStream { closeLocal(index) }
    }

    /// Sends body bytes: as many as the windows allow go into the output, the rest waits in the stream's queue. Does
    /// nothing if the stream has ended. The source should pause while ``isCongested(stream:)``.
    public mutating func sendData(stream: UInt32, _ bytes: ByteBuffer, endStream: Bool) {
        guard let index = sendingSlot(stream), !streams[index].queue.hasEnded else { return }
        var rest = bytes
        if streams[index].queue.bytes.readableBytes == 0 {
            sendAtOnce(index, &rest, endStream)
            // Bytes and END_STREAM went out together.
            guard rest.readableBytes > 0 else { return }
        }
        streams.enqueue(rest, at: index)
        if endStream { streams[index].queue.end = .endStream }
        if streams[index].queue.bytes.readableBytes > limits.sending.congestionHighMark {
            streams[index].queue.isCongested = true
        }
        streams.updateReady(index)
    }

    /// Ends our message with trailers, after queued data. They must not include pseudo-header fields or
    /// connection-specific fields.
    public mutating func sendTrailers(stream: UInt32, write: (inout HTTP2TrailerBlock) -> Void) {
        guard let index = sendingSlot(stream), !streams[index].queue.hasEnded else { return }
        var block = HTTP2TrailerBlock()
        write(&block)
        guard streams[index].queue.bytes.readableBytes == 0 else {
            return streams.enqueue(trailers: block.bytes, at: index)
        }
        writeTrailers(stream, block.bytes)
        closeLocal(index)
    }

    /// Bytes that the stream's windows, or the socket, hold back.
    @inlinable
    public func pendingBytes(stream: UInt32) -> Int {
        streams.slot(of: stream).map { streams[$0].queue.bytes.readableBytes } ?? 0
    }

    /// Whether so many bytes are pending that the source should pause; `.writable` follows when it may continue.
    @inlinable
    public func isCongested(stream: UInt32) -> Bool {
        streams.slot(of: stream).map { streams[$0].queue.isCongested } ?? false
    }

    private func sendingSlot(_ stream: UInt32) -> Int? {
        guard !hasFailed, let index = streams.slot(of: stream), !streams[index].isLocalClosed else { return nil }
        return index
    }

    /// Our END_STREAM is in the output.
    mutating func closeLocal(_ index: Int) {
        streams[index].isLocalClosed = true
        if streams[index].isRemoteClosed {
            remove(index, .ended)
        } else if streams[index].isUnwanted {
            resetUnwanted(index)
        }
    }

    // MARK: Header blocks

    mutating func writeTrailers(_ stream: UInt32, _ block: ByteBuffer) {
        let start = output.writerIndex
        output.writeFrameHeader(length: 0, kind: HTTP2Frame.Kind.headers, flags: [], stream: stream)
        // A change of the table's size is signalled in whichever block comes first.
        hpack.encoder.beginBlock(to: &output)
        output.writeImmutableBuffer(block)
        finishHeaders(from: start, stream, endStream: true)
    }

    /// Fills in the header of a HEADERS frame whose block has been written, and splits the block if it exceeds the
    /// peer's frame size.
    private mutating func finishHeaders(from start: Int, _ stream: UInt32, endStream: Bool) {
        let length = output.writerIndex - start - HTTP2Frame.headerLength
        let most = frameLength
        var flags: HTTP2Frame.Flags = endStream ? .endStream : []
        guard length > most else {
            flags.insert(.endHeaders)
            output.setFrameHeader(
                at: start,
                length: length,
                kind: HTTP2Frame.Kind.headers,
                flags: flags,
                stream: stream
            )
            return
        }
        output.setFrameHeader(at: start, length: most, kind: HTTP2Frame.Kind.headers, flags: flags, stream: stream)
        let split = start + HTTP2Frame.headerLength + most
        var rest = ByteBuffer()
        if let tail = output.getSlice(at: split, length: length - most) { rest.writeImmutableBuffer(tail) }
        output.moveWriterIndex(to: split)
        while let piece = rest.readSlice(length: min(most, rest.readableBytes)) {
            let isLast = rest.readableBytes == 0
            output.writeFrameHeader(
                length: piece.readableBytes,
                kind: HTTP2Frame.Kind.continuation,
                flags: isLast ? .endHeaders : [],
                stream: stream
            )
            output.writeImmutableBuffer(piece)
            if isLast { break }
        }
    }
}
