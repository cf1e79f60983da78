import Authorization
import Tenants
import Time
import Verification

/// Deadlines, revocation, and yielding a queue position to other requests.
extension RequestExchange {
    /// Nanoseconds that a request may go on after its caller was revoked.
    static let revokedGrace: UInt64 = 1_000_000_000

    func deadlineMet() {
        switch lifecycle.deadlineMet(serverTakesBody: upstream.server?.isWritable != false) {
        // If the server takes no more, reading is paused and the client is not to blame.
        case .refuse(.serverTakesNothing): refuse(.backendTimeout, closing: true)
        case .refuse(.bodyTimeout): refuse(.bodyTimeout, closing: true)
        case .refuse(.overloaded):
            refuse(.overloaded)
            goOn()
        case .closeSlowClient: if !clientTakesResponse() { client?.closeNow() }
        case .endTunnel: lifecycle.tunnel?.wentSilent()
        case .nothing: break
        }
    }

    /// Ends what is under way for a revoked caller: a tunnel at once, and any request older than ``revokedGrace``. The
    /// response to the request that ended the session is let through.
    ///
    /// - Parameters:
    ///   - unixTime: The current time.
    /// - Returns: Whether to check again, because the caller is revoked and the request still under way.
    func endIfRevoked(unixTime: UnixTime, at now: MonotonicTime) -> Bool {
        guard lifecycle.isUnderWay, let tenant, let caller = record.user.caller, tenant.tenant.mode == .enforce,
            case .revoked = tenant.runtime.revocations.status(of: caller, at: unixTime)
        else { return false }
        switch lifecycle.callerRevoked(isLong: now - record.startedAt >= Self.revokedGrace) {
        case .nothing: return false
        case .lookAgain: return true
        case .endTunnel: lifecycle.tunnel?.close(.sessionEnded)
        // This very refresh may have ended the session.
        case .endRefresh: worker.endRefresh(of: self)
        case .refuse:
            style.fields = []
            let isWaiting = if case .waitingForServer = lifecycle.state { true } else { false }
            refuse(.tokenRevoked, closing: !isWaiting)
            if isWaiting { goOn() }
        case .cut: cut()
        }
        return false
    }

    /// The gateway is shutting down.
    func drain() { lifecycle.tunnel?.close(.shuttingDown) }

    // MARK: Places at servers

    var clientName: SubjectName? { addressName }

    /// The key by which a server's capacity is shared: the client's address, beyond trusted proxies; for IPv6 its first
    /// 64 bits. Nil if there is none.
    private var addressName: SubjectName? {
        guard let peer else { return nil }
        guard peer.isTrustedProxy, let text = record.client.address else { return peer.limitSubject?.name }
        if let name = record.client.name { return name }
        let name = IPAddress(String(decoding: text, as: UTF8.self)).map { LimitSubject($0).name }
        record.client.name = name
        return name
    }

    var mayYieldPlace: Bool {
        switch lifecycle.state {
        case .streaming, .holding: !lifecycle.body.isComplete || !takesResponse
        case .receivingHead, .deciding, .waitingForServer, .tunnel, .finishing, .done, .broken: false
        }
    }

    var isResponding: Bool { lifecycle.isResponding }

    func rateForServer(at now: MonotonicTime) -> Double {
        takesResponse ? rates.request.average(at: now) : rates.response?.average(at: now) ?? 0
    }

    func yieldPlace() {
        guard mayYieldPlace else { return }
        if isResponding { client?.closeNow() } else { refuse(.overloaded, closing: true) }
    }

    // MARK: Flow control

    func receiveWindow(outstanding: Int, share: inout Int) -> Int {
        client?.receiveWindow(outstanding: outstanding, share: &share) ?? outstanding
    }

    func giveBackReceiveWindow(_ share: inout Int) { client?.giveBackReceiveWindow(&share) }
}
