import Authorization
import HTTPCore
import NIOCore
import Upstream

/// The response half of the lifecycle.
extension RequestLifecycle {
    /// Whether no part of a final response has gone to the client.
    var awaitsResponse: Bool {
        switch state {
        case .streaming(let streaming): streaming.response.isAwaited
        case .holding(let holding): holding.streaming.response.isAwaited
        case .receivingHead, .deciding, .waitingForServer: true
        case .tunnel, .finishing, .done, .broken: false
        }
    }

    /// Whether a response is on its way to the client.
    var isResponding: Bool {
        switch state {
        case .streaming(let streaming): !streaming.response.isAwaited
        case .holding(let holding): !holding.streaming.response.isAwaited
        case .receivingHead, .deciding, .waitingForServer, .tunnel, .finishing, .done, .broken: false
        }
    }

    /// Whether the response's body is held back to look for tokens.
    var isGathering: Bool {
        guard case .streaming(let streaming) = state else { return false }
        if case .gathering = streaming.response { return true }
        return false
    }

    /// The tokens in the gathered body; nil if it has none.
    func gatheredTokens() -> (access: [UInt8], refresh: [UInt8])? {
        guard case .streaming(let streaming) = state, case .gathering(let buffer, _) = streaming.response else {
            return nil
        }
        return buffer.tokens()
    }

    // MARK: Holds

    /// Whether the response may have to wait for something.
    var hasHolds: Bool {
        guard case .streaming(let streaming) = state else { return false }
        return !streaming.holds.isEmpty
    }

    /// The head of the final response has come, or a hold has ended.
    ///
    /// - Returns: The next hold; nil if the response may go to the client.
    mutating func nextHold(_ response: ResponseSummary) -> ResponseHold? {
        guard case .streaming(var streaming) = state, streaming.isAwaitedFromServer else {
            fail("a response that is not awaited")
            return nil
        }
        let hold = streaming.holds.next(response)
        state = .streaming(streaming)
        return hold
    }

    /// The hold has begun; the response waits.
    mutating func holdBegan(_ hold: ResponseHold.Begun) {
        guard case .streaming(let streaming) = state, streaming.mayWait(for: hold) else {
            return fail("a response waits that has not come, or has begun")
        }
        state = .holding(Holding(hold: hold, streaming: streaming))
    }

    /// The response's body is gathered from now on, so that its end can wait for the tokens in it.
    mutating func gathers(in buffer: TokenCaptureBuffer) {
        guard case .streaming(var streaming) = state, streaming.isAwaitedFromServer else {
            return fail("a response is gathered that is not awaited")
        }
        streaming.response = .toBeGathered(buffer)
        state = .streaming(streaming)
    }

    /// The waiting response was taken from its server, as a whole.
    mutating func heldResponseTaken(_ response: ReceivedResponse) {
        guard case .holding(var holding) = state, case .atServer = holding.response else {
            return fail("a response is taken that does not wait")
        }
        holding.response = .here(response)
        state = .holding(holding)
    }

    /// Whether a waiting response is taken from its server once it is complete.
    var takesHeldResponse: Bool {
        guard case .holding(let holding) = state, case .refresh = holding.hold else { return false }
        return body.isComplete
    }

    /// The hold is done: the response goes on to its next hold or to the client.
    ///
    /// - Returns: Where the response is.
    mutating func holdEnded() -> Holding.Response? {
        guard case .holding(let holding) = state, holding.hold.holdsHead else { return nil }
        var streaming = holding.streaming
        if case .signOut = holding.hold { streaming.endsSession = true }
        state = .streaming(streaming)
        return holding.response
    }

    /// The request is replayed: the server's first response is dropped.
    mutating func replays(_ content: BufferedBody?) {
        guard case .holding(let holding) = state, case .refresh = holding.hold else {
            return fail("a request is made again that nothing was refreshed for")
        }
        state = .deciding(Deciding(content: content))
    }

    /// The request to replay after a 401; nil if it cannot be replayed.
    var keptRequest: ReplayableRequest? {
        switch state {
        case .waitingForServer(let forwarding): forwarding.holds.refresh
        case .streaming(let streaming): streaming.holds.refresh
        case .holding(let holding): if case .refresh(let kept, _) = holding.hold { kept } else { nil }
        case .receivingHead, .deciding, .tunnel, .finishing, .done, .broken: nil
        }
    }

    /// The refresh that the request waits for.
    enum Refresh {
        /// Its token had expired.
        case beforeDecision(RefreshAttempt, ReceivedRequest)
        /// The server said 401.
        case afterResponse(RefreshAttempt, ReplayableRequest)
    }

    var refresh: Refresh? {
        switch state {
        case .deciding(let deciding):
            if case .refresh(let attempt, let request) = deciding.wait {
                .beforeDecision(attempt, request)
            } else {
                nil
            }
        case .holding(let holding):
            if case .refresh(let kept, let attempt) = holding.hold { .afterResponse(attempt, kept) } else { nil }
        case .receivingHead, .waitingForServer, .streaming, .tunnel, .finishing, .done, .broken: nil
        }
    }

    // MARK: To the client

    /// The head of the response goes to the client.
    ///
    /// - Returns: Whether the client's connection stays open afterwards.
    mutating func responseStarted(draining: Bool) -> Bool {
        guard case .streaming(var streaming) = state, streaming.isAwaitedFromServer else {
            fail("a second response")
            return false
        }
        let stays = clientMayStay && !draining
        if case .toBeGathered(let buffer) = streaming.response {
            streaming.response = .gathering(buffer, clientStays: stays)
        } else {
            streaming.response = .passing(clientStays: stays)
        }
        state = .streaming(streaming)
        return stays
    }

    /// The client's protocol ends the response by closing the connection.
    mutating func responseEndsConnection() {
        guard case .streaming(var streaming) = state else { return fail("no response to end") }
        switch streaming.response {
        case .awaited, .toBeGathered: return fail("a response that has not begun")
        case .passing: streaming.response = .passing(clientStays: false)
        case .gathering(let buffer, _): streaming.response = .gathering(buffer, clientStays: false)
        }
        state = .streaming(streaming)
    }

    /// A piece of the response's body.
    ///
    /// - Returns: Whether it was gathered; if not, it goes to the client, after the bytes from ``passGathered()``.
    mutating func gather(_ bytes: ByteBuffer, _ range: Range<Int>) -> Bool {
        guard case .streaming(let streaming) = state, case .gathering(let buffer, _) = streaming.response else {
            return false
        }
        return buffer.take(bytes, range)
    }

    /// Stops gathering.
    ///
    /// - Returns: The bytes gathered so far.
    mutating func passGathered() -> ByteBuffer? {
        guard case .streaming(var streaming) = state, case .gathering(let buffer, let stays) = streaming.response
        else { return nil }
        streaming.response = .passing(clientStays: stays)
        state = .streaming(streaming)
        return buffer.content
    }

    /// The tokens in the body are stored, or cannot be.
    ///
    /// - Returns: The rest of the response.
    mutating func captureEnded() -> (content: ByteBuffer, trailers: [UInt8])? {
        guard case .holding(let holding) = state, case .capture(let trailers) = holding.hold,
            case .gathering(let buffer, let stays) = holding.streaming.response
        else { return nil }
        var streaming = holding.streaming
        streaming.response = .passing(clientStays: stays)
        state = .streaming(streaming)
        return (buffer.content, trailers)
    }

    /// The end of the response is written.
    mutating func responseEnded() -> ClientConnectionFate {
        guard case .streaming(let streaming) = state, case .passing(let stays) = streaming.response else {
            fail("the end of a response that has not begun")
            return .close
        }
        return finish(clientStays: stays)
    }

    /// The gateway's own response goes out as a whole.
    ///
    /// - Parameters:
    ///   - closing: Whether the start of the next request is unknown.
    ///   - mostRest: Bytes that the request's body may still have for the connection to be kept; nil for no limit.
    mutating func respond(draining: Bool, closing: Bool = false, mostRest: Int?) -> ClientConnectionFate {
        if case .receivingHead = state {
            fail("a response without a request")
            return .close
        }
        guard awaitsResponse else {
            fail("a response of the gateway's own after another")
            return .close
        }
        var isRestSmall = true
        if let mostRest { isRestSmall = body.rest.map { $0 <= mostRest } ?? false }
        return finish(clientStays: clientMayStay && !draining && !closing && isRestSmall)
    }

    /// The server has switched protocols.
    mutating func switched(to tunnel: Tunnel) {
        guard case .streaming(let streaming) = state, streaming.isAwaitedFromServer else {
            return fail("protocols are switched in a response")
        }
        state = .tunnel(tunnel)
    }
}
