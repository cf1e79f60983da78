import HTTPCore
import NIOCore
import Tenants

extension ClientExchange {
    /// The server has granted a WebSocket.
    final func beginTunnel(_ head: ResponseHead, _ bytes: Span<UInt8>) {
        guard let server else { return }
        record.status = head.status
        letGoOfRequest()
        if let request = dueRefresh { refreshAhead(request) }
        _ = exchange.answerBegan(draining: true)
        switched(head, bytes)
        if case .closed = phase { return }
        phase = .tunnel
        let tunnel = Tunnel(self, server, worker: worker, expiresAt: tunnelExpiry)
        self.tunnel = tunnel
        setReading(true)
        process()
        self.server?.flush(bodyFollows: true)
        if worker.isDraining { tunnel.close(.shuttingDown) }
    }

    /// When the caller's token ends, in monotonic nanoseconds, if that is to end a tunnel.
    private var tunnelExpiry: UInt64? {
        guard record.tenant?.tenant.webSocket.onExpiry == .close, let caller = record.caller,
            caller.expiredFrom.isFinite
        else { return nil }
        let now = worker.now()
        let left = caller.expiredFrom - worker.unixTime(at: now)
        // Past a century nobody will be there to see it.
        return now &+ UInt64(min(max(0, left), 3e9) * 1_000_000_000)
    }

    final func tunnelEnded() {
        tunnel = nil
        finishRecord(status: record.status, at: worker.now())
        endTunnel()
    }
}
