import NIOCore

extension HTTP2Session {
    /// Whether queued data is ready to go as soon as the owner has taken the output.
    @inlinable
    public var hasMoreOutput: Bool { flow.maySend && !hasFailed && streams.readyPlace != nil }

    /// Larger frames would save nothing and make the other streams wait.
    var frameLength: Int { min(settings.peer.maximumFrameSize, HTTP2Settings.smallestFrameSize) }

    /// Sends what may go of `bytes` without passing before other streams' data; the rest is left in it.
    mutating func sendAtOnce(_ place: Int, _ bytes: inout ByteBuffer, _ endStream: Bool) {
        if bytes.readableBytes == 0 {
            guard endStream else { return }
            let id = streams[place].id
            output.writeFrameHeader(length: 0, kind: HTTP2Frame.Kind.data, flags: .endStream, stream: id)
            closeLocal(place)
            return
        }
        guard flow.isWritable, streams.readyPlace == nil else { return }
        while output.readableBytes < limits.sending.outputStep {
            let length = min(bytes.readableBytes, frameLength, streams[place].sendWindow, flow.sendWindow)
            guard length > 0, let piece = bytes.readSlice(length: length) else { return }
            if writeData(place, piece, isLast: endStream && bytes.readableBytes == 0) { return }
        }
    }

    /// Sends queued data, a frame of each stream in turn, as far as the windows, the socket and a step of output allow.
    mutating func sendQueued() {
        guard flow.isWritable, !hasFailed else { return }
        while flow.sendWindow > 0, output.readableBytes < limits.sending.outputStep, let place = streams.readyPlace {
            let room = min(frameLength, streams[place].sendWindow, flow.sendWindow)
            let length = min(room, streams[place].queue.bytes.readableBytes)
            guard let piece = streams.dequeue(length, at: place) else { return }
            let rest = streams[place].queue.bytes.readableBytes
            if streams[place].queue.isCongested, rest <= limits.sending.congestionLowMark {
                streams[place].queue.isCongested = false
                if !streams[place].queue.hasEnded { queuedEvents.append(.writable(stream: streams[place].id)) }
            }
            streams.moveReadyToEnd(place)
            streams.updateReady(place)
            switch streams[place].queue.end {
            case .open: writeData(place, piece, isLast: false)
            case .endStream: writeData(place, piece, isLast: rest == 0)
            case .trailers(let block):
                writeData(place, piece, isLast: false)
                if rest == 0 { sendQueuedTrailers(place, block) }
            }
        }
    }

    private mutating func sendQueuedTrailers(_ place: Int, _ block: ByteBuffer) {
        streams.trailersDequeued(block.readableBytes, at: place)
        writeTrailers(streams[place].id, block)
        closeLocal(place)
    }

    /// Writes one DATA frame; true if the stream is closed on our side by it.
    @discardableResult
    private mutating func writeData(_ place: Int, _ piece: ByteBuffer, isLast: Bool) -> Bool {
        let length = piece.readableBytes
        output.writeFrameHeader(
            length: length,
            kind: HTTP2Frame.Kind.data,
            flags: isLast ? .endStream : [],
            stream: streams[place].id
        )
        output.writeImmutableBuffer(piece)
        flow.sent(length)
        streams[place].sendWindow -= length
        streams.updateReady(place)
        floods.dataSent()
        if isLast { closeLocal(place) }
        return isLast
    }
}
