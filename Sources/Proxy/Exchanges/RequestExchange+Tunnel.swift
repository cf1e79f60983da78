import HTTPCore
import NIOCore
import Tenants
import Time
import Upstream

extension RequestExchange {
    /// The server has accepted a WebSocket.
    func switched(_ response: ReceivedResponse) {
        guard let server = upstream.server else { return }
        record.response.status = response.head.status
        let tunnel = Tunnel(self, server, loop: worker.loop)
        guard advance({ $0.switched(to: tunnel) }) != nil else { return }
        refreshAhead()
        tunnel.opened(until: tunnelExpiry)
        client?.writeSwitch(response, style)
        client?.setReading(true)
        client?.resume()
        server.flush(bodyFollows: true)
        if worker.isDraining { tunnel.close(.shuttingDown) }
    }

    /// When the caller's token expires, if that ends the tunnel.
    private var tunnelExpiry: MonotonicTime? {
        guard webSocketRules?.onExpiry == .close, let caller = record.user.caller,
            caller.lifetime.expiredFrom < .distantFuture
        else { return nil }
        let now = worker.now()
        let left = caller.lifetime.expiredFrom - worker.unixTime(at: now)
        // Cap at a century to keep the sum in range.
        return now + UInt64(min(max(0, left), 3e9) * 1_000_000_000)
    }

    func tunnelReceived(_ bytes: ByteBuffer) { lifecycle.tunnel?.serverSent(bytes) }

    /// Bytes of a tunnel from the client.
    func tunnelSent(_ bytes: ByteBuffer) { lifecycle.tunnel?.clientSent(bytes) }

    /// The client sends no more.
    func tunnelClientEnded() { lifecycle.tunnel?.clientGone() }
}

extension RequestExchange: TunnelClient {

    func writeTunnel(_ bytes: ByteBuffer) {
        record.response.bodyBytes += bytes.readableBytes
        client?.writeTunnel(bytes)
    }

    func flushTunnel() { client?.flush() }

    /// Flushes to the server what the client has sent into the tunnel so far.
    func flushTunnelToServer() {
        if case .tunnel = lifecycle.state { upstream.server?.flush(bodyFollows: true) }
    }

    /// Whether the server has yet to accept or decline a WebSocket.
    var awaitsSwitch: Bool { upstream.details.handshake != nil && lifecycle.awaitsResponse }

    func setReading(_ isReading: Bool) { client?.setReading(isReading) }

    func tunnelEnded() {
        upstream.end()
        guard lifecycle.isUnderWay else { return }
        _ = advance { $0.end() }
        finishRecord(status: record.response.status, at: worker.now())
        let client = client
        release()
        client?.endTunnel()
    }
}
