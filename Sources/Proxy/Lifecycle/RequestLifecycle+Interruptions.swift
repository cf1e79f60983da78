import Authorization

/// What cuts a request short: deadlines, losses, revocation, and others that need its place.
extension RequestLifecycle {
    enum DeadlineAction: Equatable {
        case refuse(DeadlineRefusal)
        /// The client may be slow: it is closed, unless it takes its response.
        case closeSlowClient
        case endTunnel
        case nothing
    }

    enum DeadlineRefusal: Equatable {
        /// The client is late with the request's body.
        case bodyTimeout
        /// The server takes no more of it.
        case serverTakesNothing
        /// No server, or an endpoint of ours, in time.
        case overloaded
    }

    /// - Parameter serverTakesBody: Whether the server takes more of the request's body.
    func deadlineMet(serverTakesBody: Bool) -> DeadlineAction {
        switch state {
        case .waitingForServer: return .refuse(.overloaded)
        case .streaming(let streaming):
            guard streaming.response.isAwaited else { return .closeSlowClient }
            if !body.isComplete { return .refuse(serverTakesBody ? .bodyTimeout : .serverTakesNothing) }
            if case .endpoint = streaming.destination { return .refuse(.overloaded) }
            return .closeSlowClient
        case .tunnel: return .endTunnel
        case .receivingHead, .deciding, .holding, .finishing: return .closeSlowClient
        case .done, .broken: return .nothing
        }
    }

    enum ServerLossAction: Equatable {
        /// Nothing of a response is out: the gateway answers itself.
        case refuse
        /// Part of it is: only a broken connection tells the client that the rest will not come.
        case cut
        case endTunnel
        case nothing
    }

    func serverLost() -> ServerLossAction {
        switch state {
        case .waitingForServer: .refuse
        case .streaming, .holding: awaitsResponse ? .refuse : .cut
        case .tunnel: .endTunnel
        case .receivingHead, .deciding, .finishing, .done, .broken: .nothing
        }
    }

    /// What is left to do when the client is gone.
    struct ClientLoss {
        /// Whether a request was under way that gets no status on record but 499, nginx's "client closed request".
        var wasUnderWay: Bool
        /// Who wanted to be signed out. The server may have done its part, and the client cannot ask again.
        var signsOut: Caller?
        /// What it was sent goes out before the server is given up.
        var tunnel: Tunnel?
    }

    mutating func clientLost() -> ClientLoss {
        var loss = ClientLoss(wasUnderWay: isUnderWay, tunnel: tunnel)
        if awaitsResponse, body.isComplete { loss.signsOut = holds?.signOut }
        end()
        return loss
    }

    /// What a response of the server has yet to wait for.
    private var holds: ResponseHolds? {
        switch state {
        case .streaming(let streaming): streaming.holds
        case .holding(let holding): holding.streaming.holds
        case .waitingForServer(let forwarding): forwarding.wasSent ? forwarding.holds : nil
        case .receivingHead, .deciding, .tunnel, .finishing, .done, .broken: nil
        }
    }

    /// Whether somebody works on a response.
    var isUnderWay: Bool {
        switch state {
        case .deciding, .waitingForServer, .streaming, .holding, .tunnel: true
        case .receivingHead, .finishing, .done, .broken: false
        }
    }

    enum RevocationAction: Equatable {
        /// It is decided on again anyway, or it is the response that ends the session.
        case nothing
        case endTunnel
        /// It is looked at again when it has taken longer.
        case lookAgain
        case refuse
        /// New tokens would be for somebody who may have none any more.
        case endRefresh
        case cut
    }

    /// The caller was revoked.
    ///
    /// - Parameter isLong: Whether the request has been under way for longer than one that is let through.
    func callerRevoked(isLong: Bool) -> RevocationAction {
        switch state {
        case .tunnel: return .endTunnel
        case .holding(let holding):
            if case .signOut = holding.hold { return .nothing }
            guard isLong else { return .lookAgain }
            if case .refresh = holding.hold { return .endRefresh }
            return awaitsResponse ? .refuse : .cut
        case .deciding: return isLong ? .nothing : .lookAgain
        case .waitingForServer: return isLong ? .refuse : .lookAgain
        case .streaming(let streaming):
            // Whether the session has ended by this very request, its response tells.
            if streaming.endsSession { return .nothing }
            guard isLong else { return .lookAgain }
            return awaitsResponse ? .refuse : .cut
        case .receivingHead, .finishing, .done, .broken: return .nothing
        }
    }
}
