import HTTPCore
import NIOCore
import Tenants
import Time
import Upstream

extension RequestExchange {
    /// The server has granted a WebSocket.
    func switched(_ response: ReceivedResponse) {
        guard let server = upstream.server else { return }
        record.response.status = response.head.status
        guard advance({ $0.switched() }) != nil else { return }
        refreshAhead()
        client?.writeSwitch(response, style)
        let tunnel = Tunnel(self, server, worker: worker, expiresAt: tunnelExpiry)
        destination = .tunnel(tunnel)
        client?.setReading(true)
        client?.resume()
        server.flush(bodyFollows: true)
        if worker.isDraining { tunnel.close(.shuttingDown) }
    }

    /// When the caller's token ends, if that is to end a tunnel.
    private var tunnelExpiry: MonotonicTime? {
        guard tenant?.tenant.webSocket.onExpiry == .close, let caller = record.user.caller,
            caller.lifetime.expiredFrom < .distantFuture
        else { return nil }
        let now = worker.now()
        let left = caller.lifetime.expiredFrom - worker.unixTime(at: now)
        // Past a century nobody will be there to see it.
        return now + UInt64(min(max(0, left), 3e9) * 1_000_000_000)
    }

    func tunnelReceived(_ bytes: ByteBuffer) {
        if case .tunnel(let tunnel) = destination { tunnel.serverSent(bytes) }
    }

    /// Bytes of a tunnel from the client.
    func tunnelSent(_ bytes: ByteBuffer) {
        if case .tunnel(let tunnel) = destination { tunnel.clientSent(bytes) }
    }

    /// Bytes of a tunnel for the client.
    func writeTunnel(_ bytes: ByteBuffer) {
        record.response.bodyBytes += bytes.readableBytes
        client?.writeTunnel(bytes)
    }

    func flushTunnel() { client?.flush() }

    /// What the client has sent into a tunnel so far goes on to the server.
    func flushTunnelToServer() {
        if case .tunnel = lifecycle.state { upstream.server?.flush(bodyFollows: true) }
    }

    /// Whether the server has yet to say if it grants a WebSocket.
    var awaitsSwitch: Bool { upstream.details.handshake != nil && lifecycle.awaitsResponse }

    func setReading(_ isReading: Bool) { client?.setReading(isReading) }

    /// The client has no more to send.
    func tunnelClientEnded() {
        if case .tunnel(let tunnel) = destination { tunnel.clientGone() }
    }

    /// The tunnel is over; its server was told.
    func tunnelEnded() {
        destination = .undecided
        upstream.end()
        guard lifecycle.isUnderWay else { return }
        _ = advance { $0.end() }
        finishRecord(status: record.response.status, at: worker.now())
        let client = client
        release()
        client?.endTunnel()
    }
}
