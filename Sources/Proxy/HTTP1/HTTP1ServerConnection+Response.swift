import HTTPCore
import NIOCore
import Tenants
import Time
import Upstream

/// Output to the client. Small pieces gather in the loop's output buffer until the server's read is over.
extension HTTP1ServerConnection: ClientSide {
    /// Bytes of a refused request's body that are read and dropped to keep the connection.
    var mostDroppedBytes: Int { 64 << 10 }

    var isWritable: Bool { output.isWritable }

    func bodyBytesTaken(of written: Int) -> Int {
        let held = (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        return max(0, written - held)
    }

    // MARK: A server's response

    func writeInterim(_ response: ReceivedResponse, _ style: ResponseStyle) {
        // HTTP/1.0 has no interim responses (RFC 9110 section 15.2).
        guard style.version != .http10 else { return }
        let bytes = response.bytes
        takeOutput()
        ClientHeadWriter.writeInterim(
            response.head,
            bytes.readableBytesUInt8Span,
            shape: style.shape,
            to: &worker.connections.http1Output.bytes
        )
        flush()
    }

    func writeContinue() {
        takeOutput()
        worker.connections.http1Output.bytes.writeStaticString("HTTP/1.1 100 Continue\r\n\r\n")
        flush()
    }

    func writeHead(_ response: ReceivedResponse, _ framing: ResponseFraming, _ style: ResponseStyle) -> Bool {
        let minorVersion = style.version == .http10 ? 0 : 1
        let delivery = ClientHeadWriter.Delivery(framing, clientMinorVersion: minorVersion)
        output.delivery = delivery
        let bytes = response.bytes
        takeOutput()
        ClientHeadWriter.write(
            response.head,
            bytes.readableBytesUInt8Span,
            delivery,
            ClientHeadWriter.Connection(minorVersion: minorVersion, stays: style.stays && !delivery.isCloseDelimited),
            date: worker.loop.date,
            fields: style.fields,
            shape: style.shape,
            to: &worker.connections.http1Output.bytes
        )
        return delivery.isCloseDelimited
    }

    func writeBody(_ bytes: ByteBuffer, _ range: Range<Int>) {
        takeOutput()
        if output.delivery.isChunked {
            worker.connections.http1Output.bytes.writeChunkSize(range.count)
            worker.connections.http1Output.bytes.writeStaticString("\r\n")
        }
        if range.count <= PieceLimits.coalesced {
            worker.connections.http1Output.bytes.writeBytes(bytes.readableBytesUInt8Span.extracting(range).bytes)
        } else if let piece = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count) {
            writeOutput()
            write(piece)
        }
        if output.delivery.isChunked {
            takeOutput()
            worker.connections.http1Output.bytes.writeStaticString("\r\n")
        }
    }

    func writeEnd(trailers: [UInt8], _ style: ResponseStyle) {
        guard output.delivery.isChunked else { return }
        takeOutput()
        worker.connections.http1Output.bytes.writeStaticString("0\r\n")
        Trailers.write(trailers, to: &worker.connections.http1Output.bytes) { field, bytes in
            style.shape?.drops(field, bytes, isUnkept: false) ?? false
        }
        worker.connections.http1Output.bytes.writeStaticString("\r\n")
    }

    func responseEnded(_ fate: ClientConnectionFate, at now: MonotonicTime) {
        switch fate {
        case .keep: becomeIdle(at: now)
        case .close: lingerAndClose()
        case .dropRestOfBody:
            setReading(true)
            state = .droppingBody(allowance: mostDroppedBytes)
            setDeadline(now + worker.idleTimeout)
        }
    }

    func becomeIdle(at now: MonotonicTime) {
        if case .closed = state { return }
        state = .open
        if worker.isDraining { return lingerAndClose() }
        setReading(true)
        setDeadline(now + (input.count > 0 ? worker.headerTimeout : worker.idleTimeout))
    }

    // MARK: The gateway's own

    func write(_ response: GatewayResponse, isHead: Bool, _ style: ResponseStyle) -> Int {
        output.delivery = ClientHeadWriter.Delivery()
        takeOutput()
        return response.write(
            isHead: isHead,
            minorVersion: style.version == .http10 ? 0 : 1,
            stays: style.stays,
            date: worker.loop.date,
            to: &worker.connections.http1Output.bytes
        )
    }

    // MARK: Writing

    /// The loop's buffer serves one client at a time.
    private func takeOutput() {
        worker.connections.http1Output.take(for: self)
    }

    private func writeOutput() {
        writeKept()
        if let bytes = worker.connections.http1Output.takeContent(of: self) { write(bytes) }
    }

    private func writeKept() {
        guard let kept = output.kept else { return }
        output.kept = nil
        write(kept)
    }

    private func write(_ bytes: ByteBuffer) {
        output.written &+= UInt64(bytes.readableBytes)
        channelOutput.write(bytes, context)
        output.hasUnflushed = true
    }

    /// If the client is gone, the channel delivers the unread rest here, and then that it is closed. None of it is
    /// handled here: the response being flushed is not done with its exchange.
    func flush() {
        writeKept()
        let last = worker.connections.http1Output.takeContent(of: self)
        guard output.hasUnflushed || last != nil else { return }
        output.hasUnflushed = false
        let received = input.count
        output.isFlushing = true
        output.written &+= UInt64(last?.readableBytes ?? 0)
        channelOutput.flush(after: last, context)
        output.isFlushing = false
        if input.count > received, !input.isClosed { worker.loop.atEndOfTurn { [self] in readDelivered() } }
        if !isWritable { updateBacklog() }
    }

    private func readDelivered() {
        resume()
        exchange.flushTunnelToServer()
    }

    // MARK: Tunnels

    func writeSwitch(_ response: ReceivedResponse, _ style: ResponseStyle) {
        let bytes = response.bytes
        takeOutput()
        ClientHeadWriter.writeSwitching(
            response.head,
            bytes.readableBytesUInt8Span,
            fields: style.fields,
            shape: style.shape,
            to: &worker.connections.http1Output.bytes
        )
        flush()
    }

    func writeTunnel(_ bytes: ByteBuffer) { write(bytes) }

    func endTunnel() {
        flush()
        lingerAndClose()
    }

    // MARK: Ends

    /// Closes after the response, if one is still to come.
    func retireConnection() {
        if !isInExchange { lingerAndClose() }
    }

    func cut() {
        if case .closed = state { return }
        if output.delivery.isCloseDelimited { reset() } else { lingerAndClose() }
    }

    /// A response delimited by the end of the connection would look complete, even if only its last bytes are unsent.
    func closeNow() {
        let isPartial = exchange.lifecycle.isResponding || (context?.unsentBytes ?? 0) > 0
        if output.delivery.isCloseDelimited, isPartial { reset() } else { context?.close(promise: nil) }
    }

    // MARK: Flow control

    /// An HTTP/1.1 connection has one response at a time, and holds no more of it than its channel does.
    func receiveWindow(outstanding: Int, share: inout Int) -> Int { ReceiveWindows.window(outstanding: outstanding) }

    func giveBackReceiveWindow(_ share: inout Int) {}
}

extension HTTP1ServerConnection: SharedOutputOwner {
    func keepOutput(_ bytes: ByteBuffer) {
        if output.kept == nil { output.kept = bytes } else { output.kept?.writeImmutableBuffer(bytes) }
    }
}
