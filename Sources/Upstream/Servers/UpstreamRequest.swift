package import Authorization
package import Counting
package import HTTPCore
package import NIOCore
import Tenants
import Time

/// One request on its way to a tenant's backend: it finds a server, waits for a connection, goes to another server where
/// that may be, and hands what the server says to its owner, who is a client's exchange or the gateway itself.
package final class UpstreamRequest {
    /// What has to be known of a request besides its bytes.
    package struct Details {
        package var framing = RequestFraming.none
        package var method = CountedMethod.other
        /// Nil for an ordinary request.
        package var handshake: WebSocketUpgrade?
        /// For servers that are chosen by subject.
        package var caller: Caller?
        /// Those that may have the request, with their rules for making it again; nil where one pool alone is asked, once.
        package var servers: BackendServers?
        /// Requests of the gateway's own come before all others.
        package var isGatewayOwn = false

        package init(
            framing: RequestFraming = .none,
            method: CountedMethod = .other,
            handshake: WebSocketUpgrade? = nil,
            caller: Caller? = nil,
            servers: BackendServers? = nil,
            isGatewayOwn: Bool = false
        ) {
            self.framing = framing
            self.method = method
            self.handshake = handshake
            self.caller = caller
            self.servers = servers
            self.isGatewayOwn = isGatewayOwn
        }

        package var isHead: Bool { method == .head }
    }

    private enum State {
        case idle
        /// A pool will tell when it has a server.
        case waiting(ServerPool, ForwardedHead)
        /// The last server is lost; another one is looked for at the end of the loop's turn.
        case tryingAgain(ForwardedHead)
        case active(any UpstreamServer)
    }

    package enum Outcome {
        case sent
        case waiting
        case failed(UpstreamFailure)
    }

    private let loop: LoopContext
    /// Increases with each request.
    package private(set) var number: UInt64 = 0
    /// From the beginning of a request until its response is over.
    package private(set) var owner: (any UpstreamRequestOwner)?
    package private(set) var details = Details()
    private var state = State.idle
    private var attempts = UpstreamAttempts()
    /// The pool of the server that was chosen last, until what became of it is counted.
    private var attempt: ServerPool?
    /// As ``LoopContext/lastTick`` was then.
    private(set) var attemptBegunAt = MonotonicTime.distantPast

    package init(loop: LoopContext) { self.loop = loop }

    // MARK: What the owner does

    /// Finds a server for a request.
    ///
    /// - Parameters:
    ///   - pool: The only one that may be asked; nil: whichever of the tenant's is chosen.
    ///   - head: Makes the head, in a buffer whose memory can be used again.
    package func begin(
        _ details: Details,
        only pool: ServerPool? = nil,
        for owner: any UpstreamRequestOwner,
        head: (consuming ByteBuffer) -> ForwardedHead
    ) -> Outcome {
        guard case .idle = state else {
            loop.failedInternally(.upstreamRequest, "a request begins while another is under way")
            return .failed(.brokeOff)
        }
        number &+= 1
        self.owner = owner
        self.details = details
        guard let pool = pool ?? chooseServer() else {
            end()
            return .failed(.unavailable)
        }
        switch pool.lease(for: self) {
        case .server(let server):
            take(server, head(server.takeBuffer()))
            return .sent
        case .waiting:
            state = .waiting(pool, head(ByteBuffer()))
            return .waiting
        case .refused:
            end()
            return .failed(.overloaded)
        }
    }

    /// The server that has the request; nil while none has.
    package var server: (any UpstreamServer)? {
        if case .active(let server) = state { server } else { nil }
    }

    private func isActive(_ other: any UpstreamServer) -> Bool {
        if case .active(let server) = state { server === other } else { false }
    }

    /// The pool where the request waits; nil where it does not.
    package var waitsAt: ServerPool? {
        if case .waiting(let pool, _) = state { pool } else { nil }
    }

    /// The request goes no further, wherever it is.
    package func abandon() {
        switch state {
        case .idle, .tryingAgain: break
        case .waiting(let pool, _): pool.forget(self)
        case .active(let server): server.abandon()
        }
        end()
    }

    /// The response is over, and the server with it. Nothing of the request can be read any more.
    package func end() {
        attempt?.attemptEnded()
        attempt = nil
        state = .idle
        owner = nil
        details = Details()
        attempts = UpstreamAttempts()
    }

    // MARK: What pools say

    /// There is a connection for the request.
    func serverReady(_ server: any UpstreamServer) {
        guard case .waiting(let pool, let head) = state, pool === server.pool else { return server.giveBack() }
        take(server, head)
        owner?.serverTaken()
    }

    /// No connection could be opened: nothing was sent, so any other server may have the request.
    ///
    /// - Parameter number: Of the request that waited: another one may wait there by now.
    func serverUnreachable(_ pool: ServerPool, number: UInt64) {
        guard case .waiting(let other, let head) = state, other === pool, number == self.number else { return }
        owner?.lostAttempt(at: pool, "connect failed")
        attempts.skipped(pool.serverIndex)
        guard details.servers?.retries.afterConnectFailure == true else { return fail(.unavailable) }
        state = .tryingAgain(head)
        waitAtAnotherServer(head, orAgain: false)
    }

    /// The pool has taken it out of a full queue.
    ///
    /// - Parameter number: Of the request that was dropped: another one may wait there by now.
    func droppedFromQueue(of pool: ServerPool, number: UInt64) {
        guard waitsAt === pool, number == self.number else { return }
        state = .idle
        fail(.overloaded)
    }

    // MARK: What the server says

    /// Bytes of a response came, if only the first: this server has seen the request.
    func serverSpoke() { attempts.serverSpoke() }

    /// - Parameters:
    ///   - endsProperly: Whether the close is how the response's body ends.
    ///   - wasActedOn: Whether the server may have acted on the request.
    package func serverLost(_ lost: any UpstreamServer, endsProperly: Bool, wasActedOn: Bool = true) {
        guard isActive(lost) else { return }
        let hasBody = details.framing != .none
        if endsProperly { return endedByClose() }
        guard attempts.lost(lost.pool.serverIndex, wasActedOn: wasActedOn, hasBody: hasBody) else {
            return fail(.brokeOff)
        }
        owner?.lostAttempt(at: lost.pool, "connection lost")
        state = .tryingAgain(lost.takeHead())
        owner?.triesAgain(within: lost.pool.responseTimeout)
        // Not from here: each lost connection would be another step down the stack.
        loop.atEndOfTurn { [self] in
            if case .tryingAgain(let head) = state { waitAtAnotherServer(head, orAgain: true) }
        }
    }

    private func endedByClose() {
        let owner = owner
        _ = owner?.responseEnded(serverKeepsAlive: false, trailers: [], at: loop.now())
        end()
        owner?.resume()
    }

    /// The server did not begin a response in time.
    func serverTimedOut(_ late: any UpstreamServer) {
        if isActive(late) { fail(.timeout) }
    }

    // MARK: Servers

    /// - Parameter orAgain: Whether a server that had the request may have it again, where there is no other.
    private func chooseServer(orAgain: Bool = false) -> ServerPool? {
        attempt?.attemptEnded()
        attempt = nil
        guard let servers = details.servers else { return nil }
        while true {
            var pool = servers.choose(for: details.caller, butNot: attempts.tried)
            if pool == nil, orAgain { pool = servers.choose(for: details.caller, butNot: []) }
            guard let pool else { return nil }
            attempt = pool
            attemptBegunAt = loop.lastTick
            guard details.handshake != nil else { return pool }
            if let upgrades = pool.forUpgrades { return upgrades }
            // It speaks HTTP/2 only; another may not.
            guard let server = pool.serverIndex, !attempts.tried.contains(server) else { return nil }
            attempts.skipped(server)
            pool.attemptEnded()
            attempt = nil
        }
    }

    private func waitAtAnotherServer(_ head: ForwardedHead, orAgain: Bool) {
        guard let pool = chooseServer(orAgain: orAgain) else { return fail(.unavailable) }
        switch pool.lease(for: self) {
        case .server(let server):
            take(server, head)
            owner?.serverTaken()
        case .waiting:
            state = .waiting(pool, head)
            owner?.triesAgain(within: pool.responseTimeout)
        case .refused: fail(.overloaded)
        }
    }

    private func take(_ server: any UpstreamServer, _ head: ForwardedHead) {
        state = .active(server)
        let retries = details.isGatewayOwn ? nil : details.servers?.retries
        attempts.sent(retries, details.method, hasBody: details.framing != .none)
        server.begin(self, head)
    }

    private func fail(_ failure: UpstreamFailure) {
        let owner = owner
        end()
        owner?.failed(failure)
    }
}

/// Why there is no response, or none any more.
package enum UpstreamFailure: Equatable {
    /// No server can be reached.
    case unavailable
    /// The server broke off or gave a malformed response.
    case brokeOff
    case timeout
    /// Too many requests wait already.
    case overloaded
}
