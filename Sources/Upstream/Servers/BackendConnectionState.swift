/// The state of a connection to an HTTP/1.1 server. It knows neither channel, pool nor time: each event returns what to
/// do. An impossible event returns `false` or nil, and changes nothing.
struct BackendConnectionState {
    enum Phase {
        /// The pool does not have it yet.
        case opening
        /// In its pool's list of idle connections, or being taken from there.
        case idle
        /// Free for a request, and not in that list: the pool has promised it, or is about to decide.
        case leased
        /// - Parameter hasSpoken: Whether bytes arrived since the request was begun.
        case awaitingHead(UpstreamRequest, hasSpoken: Bool)
        /// A response has begun, and its owner holds it. The value has everything received so far.
        case holding(UpstreamRequest, ReceivedResponse, Loss)
        case readingBody(UpstreamRequest, keepsAlive: Bool)
        /// Protocols are switched: bytes pass unchanged.
        case tunnel(UpstreamRequest)
        /// The tunnel is over; written bytes go out first.
        case ending
        case closed
    }

    /// Whether the connection ended while a response was held, and whether in a way that may end one.
    enum Loss {
        case none, proper, improper
    }

    /// The consequence of losing a connection.
    enum LossAction {
        /// It is closed already, or never was the pool's; or received bytes are still to be passed on.
        case nothing
        /// It is in the pool's idle list.
        case leaveIdle
        /// The pool counts it as in use.
        case leave
        case endTunnel(UpstreamRequest)
        /// - Parameter isStale: Whether the server closed an idle connection, which is no sign of ill health.
        case endBeforeHead(UpstreamRequest, isStale: Bool)
        case endBody(UpstreamRequest)
    }

    enum DeadlineAction {
        /// It is waiting for the gateway.
        case nothing
        /// The consequences follow when the channel reports the close.
        case close
        /// The server did not begin a response in time.
        case timeOut(UpstreamRequest)
        /// The server did not continue a response in time.
        case breakOff(UpstreamRequest)
    }

    private(set) var phase = Phase.opening
    /// Whether it carried a response before.
    private var wasUsedBefore = false
    /// Whether the channel is closed or closing. The consequences may still wait for the end of the loop's turn.
    private(set) var isChannelClosed = false

    /// The request that holds the lease; nil if none does.
    var request: UpstreamRequest? {
        switch phase {
        case .awaitingHead(let request, _), .holding(let request, _, _), .readingBody(let request, _),
            .tunnel(let request):
            request
        case .opening, .idle, .leased, .ending, .closed: nil
        }
    }

    /// Whether a waiting request can have it.
    var canBegin: Bool {
        guard case .leased = phase else { return false }
        return !isChannelClosed
    }

    var isUntried: Bool { !wasUsedBefore }

    // MARK: What the pool does

    /// It belongs to the pool from now on, if it is still open.
    mutating func connected() -> Bool {
        guard case .opening = phase, !isChannelClosed else { return false }
        phase = .leased
        return true
    }

    mutating func becameIdle() -> Bool {
        guard case .leased = phase else { return false }
        phase = .idle
        return true
    }

    /// The pool has promised it to a waiting request.
    mutating func becameLeased() -> Bool {
        guard case .idle = phase else { return false }
        phase = .leased
        return true
    }

    mutating func begin(_ request: UpstreamRequest) -> Bool {
        switch phase {
        case .idle, .leased: break
        case .opening, .awaitingHead, .holding, .readingBody, .tunnel, .ending, .closed: return false
        }
        phase = .awaitingHead(request, hasSpoken: false)
        return true
    }

    /// It gets no further request. Returns whether it might have until now.
    mutating func finished() -> Bool {
        if case .closed = phase { return false }
        phase = .closed
        return true
    }

    // MARK: What the server sends

    /// Bytes of a response arrived: this server has seen the request.
    mutating func spoke() -> Bool {
        guard case .awaitingHead(let request, _) = phase else { return false }
        phase = .awaitingHead(request, hasSpoken: true)
        return true
    }

    mutating func held(_ response: ReceivedResponse) -> Bool {
        guard case .awaitingHead(let request, _) = phase else { return false }
        phase = .holding(request, response, .none)
        return true
    }

    /// The held response goes on as if its head had just arrived.
    ///
    /// - Returns: The response, and whether the connection has ended meanwhile; nil if none is held.
    mutating func resumed() -> (response: ReceivedResponse, loss: Loss)? {
        guard case .holding(let request, let response, let loss) = phase else { return nil }
        phase = .awaitingHead(request, hasSpoken: true)
        return (response, loss)
    }

    /// The owner has taken a response that is held, as a whole.
    mutating func handedOver() -> Bool {
        switch phase {
        case .awaitingHead, .holding(_, _, .none): break
        case .opening, .idle, .leased, .holding, .readingBody, .tunnel, .ending, .closed: return false
        }
        phase = .leased
        wasUsedBefore = true
        return true
    }

    mutating func responseStarted(keepsAlive: Bool) -> Bool {
        guard case .awaitingHead(let request, _) = phase else { return false }
        phase = .readingBody(request, keepsAlive: keepsAlive)
        return true
    }

    mutating func responseEnded() -> Bool {
        guard case .readingBody = phase else { return false }
        phase = .leased
        wasUsedBefore = true
        return true
    }

    mutating func switched() -> Bool {
        guard case .awaitingHead(let request, _) = phase else { return false }
        phase = .tunnel(request)
        return true
    }

    mutating func tunnelEnded() -> Bool {
        guard case .tunnel = phase else { return false }
        phase = .ending
        return true
    }

    // MARK: Ends that the exchange did not ask for

    /// The channel has ended, or is closing.
    ///
    /// - Returns: Whether the consequences can take effect at once: no exchange is affected.
    mutating func channelEnded() -> Bool {
        isChannelClosed = true
        switch phase {
        case .opening, .idle: return true
        case .leased, .awaitingHead, .holding, .readingBody, .tunnel, .ending, .closed: return false
        }
    }

    /// The connection is over, whichever side ended it.
    mutating func lost(properly: Bool) -> LossAction {
        let action: LossAction
        switch phase {
        case .holding(let request, let response, .none):
            phase = .holding(request, response, properly ? .proper : .improper)
            return .nothing
        case .holding, .closed: return .nothing
        case .opening: action = .nothing
        case .idle: action = .leaveIdle
        case .leased, .ending: action = .leave
        case .tunnel(let request): action = .endTunnel(request)
        case .awaitingHead(let request, let hasSpoken):
            action = .endBeforeHead(request, isStale: wasUsedBefore && !hasSpoken)
        case .readingBody(let request, _): action = .endBody(request)
        }
        phase = .closed
        return action
    }

    mutating func deadlineMet() -> DeadlineAction {
        switch phase {
        case .opening, .leased, .holding, .closed: return .nothing
        case .idle, .tunnel, .ending: return .close
        case .awaitingHead(let request, _):
            phase = .closed
            return .timeOut(request)
        case .readingBody(let request, _):
            phase = .closed
            return .breakOff(request)
        }
    }
}
