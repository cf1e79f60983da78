import Authorization

/// What cuts a request short: deadlines, losses, revocation, and yielding to other requests.
extension RequestLifecycle {
    enum DeadlineAction: Equatable {
        case refuse(DeadlineRefusal)
        /// The client is slow: close, unless it takes its response.
        case closeSlowClient
        case endTunnel
        case nothing
    }

    enum DeadlineRefusal: Equatable {
        /// The client is late with the request's body.
        case bodyTimeout
        /// The server takes no more of it.
        case serverTakesNothing
        /// No server or endpoint in time.
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
        /// No part of a response is out: the gateway sends its own.
        case refuse
        /// Part of it is: only a broken connection shows the client that the rest is missing.
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
        /// Whether a request was under way whose only status for the record is 499, nginx's "client closed request".
        var wasUnderWay: Bool
        /// The caller to sign out. The server may have done its part, and the client cannot ask again.
        var signsOut: [Caller]?
        /// Bytes already sent to it go out before the server is released.
        var tunnel: Tunnel?
    }

    mutating func clientLost() -> ClientLoss {
        var loss = ClientLoss(wasUnderWay: isUnderWay, tunnel: tunnel)
        if awaitsResponse, body.isComplete { loss.signsOut = holds?.signOut }
        end()
        return loss
    }

    /// What the server's response still has to wait for.
    private var holds: ResponseHolds? {
        switch state {
        case .streaming(let streaming): streaming.holds
        case .holding(let holding): holding.streaming.holds
        case .waitingForServer(let forwarding): forwarding.wasSent ? forwarding.holds : nil
        case .receivingHead, .deciding, .tunnel, .finishing, .done, .broken: nil
        }
    }

    /// Whether a response is being worked on.
    var isUnderWay: Bool {
        switch state {
        case .deciding, .waitingForServer, .streaming, .holding, .tunnel: true
        case .receivingHead, .finishing, .done, .broken: false
        }
    }

    enum RevocationAction: Equatable {
        /// The request is decided on again anyway, or its response is the one that ends the session.
        case nothing
        case endTunnel
        /// Check again later, when it has taken longer.
        case lookAgain
        case refuse
        /// New tokens would be for a revoked caller.
        case endRefresh
        case cut
    }

    /// The caller was revoked.
    ///
    /// - Parameter isLong: Whether the request has been under way too long to be let through.
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
            // If this very request has ended the session, its response says so.
            if streaming.endsSession { return .nothing }
            guard isLong else { return .lookAgain }
            return awaitsResponse ? .refuse : .cut
        case .receivingHead, .finishing, .done, .broken: return .nothing
        }
    }
}
