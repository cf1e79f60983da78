package import Authorization
package import Counting
package import HTTPCore
package import NIOCore
import Tenants
import Time

/// One request on its way to a tenant's backend. It finds a server, waits for a connection, tries another server if
/// that is allowed, and passes the response to its owner: a client's exchange or the gateway itself.
package final class UpstreamRequest {
    /// Whose request it is.
    package enum Origin {
        case client
        /// The gateway's own requests come before all others.
        case gateway
        /// A copy for a mirror, which is sent once.
        case copy
    }

    /// What is needed of a request besides its bytes.
    package struct Details {
        package var framing = RequestFraming.none
        package var method = CountedMethod.other
        /// Nil unless it opens a WebSocket.
        package var handshake: WebSocketUpgrade?
        /// For servers that are chosen by subject.
        package var caller: Caller?
        /// The servers to choose from, with the retry rules; nil if one given pool is tried once.
        package var servers: BackendServers?
        /// Nil if the servers' settings hold.
        package var overrides: BackendOverrides?
        package var origin = Origin.client

        package init(
            framing: RequestFraming = .none,
            method: CountedMethod = .other,
            handshake: WebSocketUpgrade? = nil,
            caller: Caller? = nil,
            servers: BackendServers? = nil,
            overrides: BackendOverrides? = nil,
            origin: Origin = .client
        ) {
            self.framing = framing
            self.method = method
            self.handshake = handshake
            self.caller = caller
            self.servers = servers
            self.overrides = overrides
            self.origin = origin
        }
    }

    private enum State {
        case idle
        /// The pool calls when it has a server.
        case waiting(ServerPool, ForwardedHead)
        /// The last server is lost; another one is chosen at the end of the loop's turn.
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
    /// The pool of the server chosen last, until its result is counted.
    private var attempt: ServerPool?
    /// Measured by ``LoopContext/lastTick``.
    private(set) var attemptBegunAt = MonotonicTime.distantPast

    package init(loop: LoopContext) { self.loop = loop }

    // MARK: What the owner does

    /// Finds a server for a request.
    ///
    /// - Parameters:
    ///   - pool: The only one to use; nil to choose among the tenant's.
    ///   - head: Makes the head, in a buffer whose memory is reused.
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

    /// The server that has the request; nil if none has.
    package var server: (any UpstreamServer)? {
        if case .active(let server) = state { server } else { nil }
    }

    private func isActive(_ other: any UpstreamServer) -> Bool {
        if case .active(let server) = state { server === other } else { false }
    }

    /// The pool where the request waits; nil if it does not wait.
    package var waitsAt: ServerPool? {
        if case .waiting(let pool, _) = state { pool } else { nil }
    }

    /// How long it waits for a connection there; nil if it does not wait.
    package var waitingTimeout: UInt64? { waitsAt.map(responseTimeout(at:)) }

    /// In nanoseconds.
    func responseTimeout(at pool: ServerPool) -> UInt64 { details.overrides?.responseTimeout ?? pool.responseTimeout }

    package var isHead: Bool { details.method == .head }

    /// Nil if one given pool is tried once.
    private var retries: Retries? { details.overrides?.retries ?? details.servers?.retries }

    /// Cancels the request, whatever its state.
    package func abandon() {
        switch state {
        case .idle, .tryingAgain: break
        case .waiting(let pool, _): pool.forget(self)
        case .active(let server): server.abandon()
        }
        end()
    }

    /// The response is over, and the server released. Nothing of the request can be read any more.
    package func end() {
        attempt?.attemptEnded()
        attempt = nil
        state = .idle
        owner = nil
        details = Details()
        attempts = UpstreamAttempts()
    }

    // MARK: Events of pools

    /// There is a connection for the request.
    func serverReady(_ server: any UpstreamServer) {
        guard case .waiting(let pool, let head) = state, pool === server.pool else { return server.giveBack() }
        take(server, head)
        owner?.serverTaken()
    }

    /// No connection could be opened: nothing was sent, so any other server may have the request.
    ///
    /// - Parameter number: The request that waited: another one may wait there by now.
    func serverUnreachable(_ pool: ServerPool, number: UInt64) {
        guard case .waiting(let other, let head) = state, other === pool, number == self.number else { return }
        owner?.lostAttempt(at: pool, "connect failed")
        attempts.skipped(pool.serverIndex)
        guard retries?.afterConnectFailure == true else { return fail(.unavailable) }
        state = .tryingAgain(head)
        waitAtAnotherServer(head, orAgain: false)
    }

    /// The pool has dropped it from a full queue.
    ///
    /// - Parameter number: The dropped request: another one may wait there by now.
    func droppedFromQueue(of pool: ServerPool, number: UInt64) {
        guard waitsAt === pool, number == self.number else { return }
        state = .idle
        fail(.overloaded)
    }

    // MARK: Events of the server

    /// Response bytes arrived, even if only the first: this server has seen the request.
    func serverSpoke() { attempts.serverSpoke() }

    /// - Parameters:
    ///   - endsProperly: Whether the close ends the response's body.
    ///   - wasActedOn: Whether the server may have processed the request.
    package func serverLost(_ lost: any UpstreamServer, endsProperly: Bool, wasActedOn: Bool = true) {
        guard isActive(lost) else { return }
        let hasBody = details.framing != .none
        if endsProperly { return endedByClose() }
        guard attempts.lost(lost.pool.serverIndex, wasActedOn: wasActedOn, hasBody: hasBody) else {
            return fail(.brokeOff)
        }
        owner?.lostAttempt(at: lost.pool, "connection lost")
        state = .tryingAgain(lost.takeHead())
        owner?.triesAgain(within: responseTimeout(at: lost.pool))
        // Deferred: otherwise each lost connection would deepen the stack.
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

    /// - Parameter orAgain: Whether a server that had the request may have it again if there is no other.
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
            owner?.triesAgain(within: responseTimeout(at: pool))
        case .refused: fail(.overloaded)
        }
    }

    private func take(_ server: any UpstreamServer, _ head: ForwardedHead) {
        state = .active(server)
        attempts.sent(details.origin == .client ? retries : nil, details.method, hasBody: details.framing != .none)
        server.begin(self, head)
    }

    private func fail(_ failure: UpstreamFailure) {
        let owner = owner
        end()
        owner?.failed(failure)
    }
}

/// Why there is no response, or no more of it.
package enum UpstreamFailure: Equatable {
    /// No server can be reached.
    case unavailable
    /// The server broke off or gave a malformed response.
    case brokeOff
    case timeout
    /// The queue is full.
    case overloaded
}
