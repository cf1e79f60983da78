import NIOCore

extension HTTP2Session {
    /// Whether queued data can be sent as soon as the owner has taken the output.
    @inlinable
    public var hasMoreOutput: Bool { flow.maySend && !hasFailed && streams.readySlot != nil }

    /// Larger frames would save nothing and delay the other streams.
    var frameLength: Int { min(settings.peer.maximumFrameSize, HTTP2Settings.smallestFrameSize) }

    /// Sends as much of `bytes` as may go without overtaking other streams' data; the rest is left in it.
    mutating func sendAtOnce(_ index: Int, _ bytes: inout ByteBuffer, _ endStream: Bool) {
        if bytes.readableBytes == 0 {
            guard endStream else { return }
            let id = streams[index].id
            output.writeFrameHeader(length: 0, kind: HTTP2Frame.Kind.data, flags: .endStream, stream: id)
            closeLocal(index)
            return
        }
        guard flow.isWritable, streams.readySlot == nil else { return }
        while output.readableBytes < limits.sending.outputStep {
            let length = min(bytes.readableBytes, frameLength, streams[index].sendWindow, flow.sendWindow)
            guard length > 0, let piece = bytes.readSlice(length: length) else { return }
            if writeData(index, piece, isLast: endStream && bytes.readableBytes == 0) { return }
        }
    }

    /// Sends queued data, a frame of each stream in turn, as far as the windows, the socket and a step of output allow.
    mutating func sendQueued() {
        guard flow.isWritable, !hasFailed else { return }
        while flow.sendWindow > 0, output.readableBytes < limits.sending.outputStep, let index = streams.readySlot {
            let limit = min(frameLength, streams[index].sendWindow, flow.sendWindow)
            let length = min(limit, streams[index].queue.bytes.readableBytes)
            guard let piece = streams.dequeue(length, at: index) else { return }
            let rest = streams[index].queue.bytes.readableBytes
            if streams[index].queue.isCongested, rest <= limits.sending.congestionLowMark {
                streams[index].queue.isCongested = false
                if !streams[index].queue.hasEnded { queuedEvents.append(.writable(stream: streams[index].id)) }
            }
            streams.moveReadyToEnd(index)
            streams.updateReady(index)
            switch streams[index].queue.end {
            case .open: writeData(index, piece, isLast: false)
            case .endStream: writeData(index, piece, isLast: rest == 0)
            case .trailers(let block):
                writeData(index, piece, isLast: false)
                if rest == 0 { sendQueuedTrailers(index, block) }
            }
        }
    }

    private mutating func sendQueuedTrailers(_ index: Int, _ block: ByteBuffer) {
        streams.trailersDequeued(block.readableBytes, at: index)
        writeTrailers(streams[index].id, block)
        closeLocal(index)
    }

    /// Writes one DATA frame; true if the stream is closed on our side by it.
    @discardableResult
    private mutating func writeData(_ index: Int, _ piece: ByteBuffer, isLast: Bool) -> Bool {
        let length = piece.readableBytes
        output.writeFrameHeader(
            length: length,
            kind: HTTP2Frame.Kind.data,
            flags: isLast ? .endStream : [],
            stream: streams[index].id
        )
        output.writeImmutableBuffer(piece)
        flow.sent(length)
        streams[index].sendWindow -= length
        streams.updateReady(index)
        floods.dataSent()
        if isLast { closeLocal(index) }
        return isLast
    }
}
