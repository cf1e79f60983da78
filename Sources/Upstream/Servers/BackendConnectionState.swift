/// Where a connection to a server that speaks HTTP/1.1 stands. It knows nothing of its channel, its pool and the time: each
/// event gives back what is to be done. An event that cannot happen in a state gives `false` or nil, and changes nothing.
struct BackendConnectionState {
    enum Phase {
        /// Its pool does not have it yet.
        case opening
        /// In its pool's list of idle ones, or on its way from there to a request.
        case idle
        /// Free for a request, and not in that list: its pool has promised it, or is about to decide on it.
        case leased
        /// - Parameter hasSpoken: Whether bytes came since the request was begun.
        case awaitingHead(UpstreamRequest, hasSpoken: Bool)
        /// A response has begun, and its owner lets it wait. It has all that was received.
        case holding(UpstreamRequest, ReceivedResponse, Loss)
        case readingBody(UpstreamRequest, keepsAlive: Bool)
        /// Protocols are switched: bytes pass as they are.
        case tunnel(UpstreamRequest)
        /// The tunnel is over; what was written goes out first.
        case ending
        case closed
    }

    /// Whether the connection ended while a response waited, and whether in a way that may end one.
    enum Loss {
        case none, proper, improper
    }

    /// What follows from the loss of a connection.
    enum LossAction {
        /// It is closed already, or never was the pool's; or what came before is still to be passed on.
        case nothing
        /// The pool has it in its list of idle ones.
        case leaveIdle
        /// The pool counts it among those in use.
        case leave
        case endTunnel(UpstreamRequest)
        /// - Parameter isStale: That a server closes a connection which it had kept idle is no sign of ill health.
        case endBeforeHead(UpstreamRequest, isStale: Bool)
        case endBody(UpstreamRequest)
    }

    enum DeadlineAction {
        /// It waits for us.
        case nothing
        /// What its end means follows when the channel says it.
        case close
        /// The server did not begin a response in time.
        case timeOut(UpstreamRequest)
        /// The server did not go on with a response in time.
        case breakOff(UpstreamRequest)
    }

    private(set) var phase = Phase.opening
    /// Whether a response came on it before.
    private var wasUsedBefore = false
    /// Whether the channel has said that it is closed, or is being closed. What that means may still wait for the end of
    /// the loop's turn.
    private(set) var isChannelClosed = false

    /// The request that it is leased to; nil where it is to none.
    var request: UpstreamRequest? {
        switch phase {
        case .awaitingHead(let request, _), .holding(let request, _, _), .readingBody(let request, _),
            .tunnel(let request):
            request
        case .opening, .idle, .leased, .ending, .closed: nil
        }
    }

    /// Whether a request that waited can have it.
    var canBegin: Bool {
        guard case .leased = phase else { return false }
        return !isChannelClosed
    }

    var isUntried: Bool { !wasUsedBefore }

    // MARK: What the pool does

    /// It is the pool's from now on, if it still stands.
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

    /// The pool has promised it to a request that waits.
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

    /// It gets no other request. Gives whether it might have got one until now.
    mutating func finished() -> Bool {
        if case .closed = phase { return false }
        phase = .closed
        return true
    }

    // MARK: What the server sends

    /// Bytes of a response came: this server has seen the request.
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

    /// The response that waited goes on as if its head had come just now.
    ///
    /// - Returns: With it, whether the connection has ended since. Nil where none waits.
    mutating func resumed() -> (response: ReceivedResponse, loss: Loss)? {
        guard case .holding(let request, let response, let loss) = phase else { return nil }
        phase = .awaitingHead(request, hasSpoken: true)
        return (response, loss)
    }

    /// The owner has taken a response that is to wait, which was here as a whole.
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

    /// The channel has ended, or is being closed.
    ///
    /// - Returns: Whether what that means can be acted on at once: nobody's exchange is concerned.
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
