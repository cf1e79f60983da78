import Authorization
import HTTPCore
import NIOCore
import Tenants
import Time
import Upstream

/// The output to the client on a stream.
extension HTTP2ServerStream: ClientSide {
    var tokenMemory: TokenMemory { connection.tokenMemory }

    var isWritable: Bool { !connection.pressure.holdsServers && !connection.session.isCongested(stream: id) }

    func bodyBytesTaken(of written: Int) -> Int {
        max(0, written - connection.session.pendingBytes(stream: id) - (lastPiece?.readableBytes ?? 0))
    }

    // MARK: A server's response

    func writeInterim(_ response: ReceivedResponse, _ style: ResponseStyle) {
        let buffer = response.bytes
        connection.session.sendHeaders(stream: id, endStream: false) { encoder, out in
            let bytes = buffer.readableBytesUInt8Span
            HTTP2Response.encodeInterim(response.head, bytes, shape: style.shape, with: &encoder, to: &out)
        }
        connection.turn()
    }

    func writeContinue() {
        connection.session.sendHeaders(stream: id, endStream: false) { encoder, out in
            encoder.encode(status: 100, to: &out)
        }
        connection.turn()
    }

    func writeHead(_ response: ReceivedResponse, _ framing: ResponseFraming, _ style: ResponseStyle) -> Bool {
        responseEnded = framing == .none || framing == .length(0)
        let buffer = response.bytes
        connection.session.sendHeaders(stream: id, endStream: responseEnded) { encoder, out in
            HTTP2Response.encode(
                response.head,
                buffer.readableBytesUInt8Span,
                date: worker.loop.date,
                fields: style.fields,
                shape: style.shape,
                with: &encoder,
                to: &out
            )
        }
        return false
    }

    func writeBody(_ bytes: ByteBuffer, _ range: Range<Int>) {
        sendLastPiece()
        lastPiece = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count)
    }

    private func sendLastPiece() {
        guard let piece = lastPiece else { return }
        lastPiece = nil
        connection.session.sendData(stream: id, piece, endStream: false)
    }

    func writeEnd(trailers: [UInt8], _ style: ResponseStyle) {
        guard !responseEnded else { return }
        responseEnded = true
        if trailers.isEmpty {
            connection.session.sendData(stream: id, lastPiece ?? ByteBuffer(), endStream: true)
            lastPiece = nil
            return
        }
        sendLastPiece()
        connection.session.sendTrailers(stream: id) { block in
            block.append(section: trailers) { [style] field, bytes in
                style.shape?.drops(field, bytes, isUnkept: false) ?? false
            }
        }
    }

    func flush() {
        sendLastPiece()
        connection.turn()
        if !isWritable { noteHeldUp() }
    }

    func responseEnded(_ fate: ClientConnectionFate, at now: MonotonicTime) {
        stopReading()
        end()
        connection.turn()
    }

    // MARK: The gateway's own

    /// A stream has no connection to keep open.
    var mostDroppedBytes: Int { .max }

    func write(_ response: GatewayResponse, isHead: Bool, _ style: ResponseStyle) -> Int {
        let hasBody = !isHead && !response.body.isEmpty
        responseEnded = true
        connection.session.sendHeaders(stream: id, endStream: !hasBody) { encoder, out in
            HTTP2Response.encode(response, date: worker.loop.date, with: &encoder, to: &out)
        }
        guard hasBody else { return 0 }
        connection.session.sendData(stream: id, worker.loop.allocator.buffer(bytes: response.body), endStream: true)
        return response.body.count
    }

    // MARK: Tunnels (RFC 8441)

    func writeSwitch(_ response: ReceivedResponse, _ style: ResponseStyle) {
        let buffer = response.bytes
        connection.session.sendHeaders(stream: id, endStream: false) { encoder, out in
            HTTP2Response.encodeSwitching(
                response.head,
                buffer.readableBytesUInt8Span,
                date: worker.loop.date,
                fields: style.fields,
                shape: style.shape,
                with: &encoder,
                to: &out
            )
        }
        connection.turn()
    }

    func writeTunnel(_ bytes: ByteBuffer) { connection.session.sendData(stream: id, bytes, endStream: false) }

    func endTunnel() {
        connection.session.sendData(stream: id, ByteBuffer(), endStream: true)
        stopReading()
        end()
        connection.turn()
    }

    // MARK: Ends

    func retireConnection() { connection.drain() }

    func cut() {
        connection.session.reset(stream: id, code: .internalError)
        end()
        connection.turn()
    }

    func closeNow() {
        connection.session.reset(stream: id, code: .cancel)
        if exchange.lifecycle.isUnderWay { exchange.clientGone() }
        end()
        connection.turn()
    }

    // MARK: Flow control

    func receiveWindow(outstanding: Int, share: inout Int) -> Int {
        // Any more would add to what the client has not taken yet.
        guard !connection.pressure.holdsServers else { return outstanding }
        let streams = connection.streams.open.count
        return connection.pressure.receiveWindows.window(outstanding: outstanding, share: &share, streams: streams)
    }

    func giveBackReceiveWindow(_ share: inout Int) { connection.pressure.receiveWindows.giveBack(&share) }
}
