import Authorization
import HTTPCore
import Upstream

/// The life of one request and its response, as a value without I/O: the events of client and server so far, and the
/// action that follows from the next one. ``RequestExchange`` feeds it and performs the actions it returns.
///
///     receivingHead -> deciding -> waitingForServer <-> streaming <-> holding
///                         |                |                |            |
///                         +----------------+-> finishing <--+------------+--> tunnel
///                                                  |                            |
///                                                  v                            v
///                                                done <-------------------------+
///
/// What may be read in a state is in that state, and the next request begins with a fresh value. An event that cannot
/// happen in the present state is a programming error: it moves the request to `broken`, which trips an assertion, and
/// in release costs the connection.
struct RequestLifecycle: ~Copyable {
    enum State {
        /// Nothing, or only a part of a request's head.
        case receivingHead
        case deciding(Deciding)
        /// Granted, but no server has the request at the moment.
        case waitingForServer(Forwarding)
        /// A server has the request, or the gateway itself takes it for one of its endpoints.
        case streaming(Streaming)
        /// A response has begun and waits before any of it goes to the client.
        indirect case holding(Holding)
        /// Protocols are switched: bytes pass both ways until one side ends.
        case tunnel(Tunnel)
        /// The response is out; the rest of the request's body is read and dropped.
        case finishing
        case done
        /// An impossible event came; an open tunnel is yet to be ended.
        indirect case broken(StaticString, Tunnel?)
    }

    var state = State.receivingHead
    private(set) var body = RequestBody()
    /// Whether the client wants to use its connection again.
    private var wantsKeepAlive = false

    init() {}

    // MARK: Deciding

    /// The head is whole.
    mutating func headReceived(_ framing: RequestFraming, keepsAlive: Bool, expectsContinue: Bool) {
        guard case .receivingHead = state else { return fail("a second head") }
        body = RequestBody(framing, awaitsContinue: expectsContinue)
        wantsKeepAlive = keepsAlive
        state = .deciding(Deciding())
    }

    /// The decision waits for a step that is done elsewhere.
    mutating func waits(_ request: ReceivedRequest) {
        guard case .deciding(var deciding) = state, case .nothing = deciding.wait else {
            return fail("a decision waits twice")
        }
        deciding.wait = .step(request)
        state = .deciding(deciding)
    }

    /// The awaited step is a refresh.
    mutating func waitsForRefresh(_ attempt: RefreshAttempt) {
        guard case .deciding(var deciding) = state, case .step(let request) = deciding.wait else {
            return fail("a refresh that no decision waits for")
        }
        deciding.wait = .refresh(attempt, request)
        state = .deciding(deciding)
    }

    /// The request is a decision query about another request.
    mutating func waitsForDecisionQuery() {
        guard case .deciding(var deciding) = state, case .nothing = deciding.wait else {
            return fail("a decision query while a step is under way")
        }
        deciding.wait = .decisionQuery
        state = .deciding(deciding)
    }

    /// The awaited step is done, or could not begin: the request is decided on again.
    ///
    /// - Returns: Nil if nothing was awaited.
    mutating func stepEnded() -> ReceivedRequest? {
        guard case .deciding(var deciding) = state else { return nil }
        let request: ReceivedRequest
        switch deciding.wait {
        case .step(let waiting), .refresh(_, let waiting): request = waiting
        case .nothing, .decisionQuery: return nil
        }
        deciding.wait = .nothing
        state = .deciding(deciding)
        return request
    }

    /// The decision query is answered.
    ///
    /// - Returns: Whether the answer was awaited.
    mutating func decisionQueryEnded() -> Bool {
        guard case .deciding(var deciding) = state, case .decisionQuery = deciding.wait else { return false }
        deciding.wait = .nothing
        state = .deciding(deciding)
        return true
    }

    // MARK: Forwarding

    /// The decision is a grant: the request goes to a server.
    mutating func granted(_ holds: ResponseHolds) {
        guard case .deciding(let deciding) = state, case .nothing = deciding.wait else {
            return fail("a grant without a decision")
        }
        state = .waitingForServer(Forwarding(holds: holds, content: deciding.content))
    }

    /// A server has the head.
    ///
    /// - Returns: The request's body.
    mutating func serverTaken() -> ForwardedBody {
        guard case .waitingForServer(let forwarding) = state else {
            fail("a server without a request for it")
            return .complete
        }
        state = .streaming(Streaming(forwarding.holds))
        if let content = forwarding.content { return .atHand(content) }
        return body.isComplete ? .complete : .fromClient
    }

    /// A gateway endpoint takes the request.
    mutating func endpointTaken(_ call: EndpointCall) {
        guard case .deciding(let deciding) = state, case .nothing = deciding.wait else {
            return fail("an endpoint without a decision")
        }
        state = .streaming(Streaming(call))
    }

    /// The server is lost and the request may be tried again: it waits for another server.
    mutating func triesAgain() {
        guard case .streaming(let streaming) = state, streaming.isAwaitedFromServer else {
            return fail("a request is made again that no server has, or after its response began")
        }
        state = .waitingForServer(Forwarding(holds: streaming.holds, wasSent: true))
    }

    /// The endpoint has checked the request, which goes on to the backend.
    ///
    /// - Parameter content: The request's body, if it has one.
    /// - Returns: The request as it was received.
    mutating func endpointPassedOn(_ content: BufferedBody?) -> ReceivedRequest? {
        guard case .streaming(let streaming) = state, case .endpoint(let call) = streaming.destination,
            case .awaited = streaming.response, let request = call.received
        else {
            fail("a request is passed on that no endpoint has")
            return nil
        }
        state = .deciding(Deciding(content: content))
        return request
    }

    /// The endpoint that has the request.
    var endpointCall: EndpointCall? {
        if case .streaming(let streaming) = state, case .endpoint(let call) = streaming.destination {
            call
        } else {
            nil
        }
    }

    // MARK: The request's body

    /// A piece of the body has come, so the client did not wait for a 100.
    ///
    /// - Parameter limit: Bytes; nil for none.
    /// - Returns: Whether the body is still within the limit.
    mutating func bodyReceived(_ count: Int, limit: Int?) -> Bool {
        guard takesBody else {
            fail("a body that is not read")
            return false
        }
        body.received(count)
        guard let limit else { return true }
        return body.count <= limit
    }

    /// A 100 goes to the client before the response.
    mutating func continuePassedOn() {
        guard case .streaming(let streaming) = state, case .awaited = streaming.response else {
            return fail("a 100 that no response follows")
        }
        body.awaitsContinue = false
    }

    /// The request is complete.
    mutating func bodyEnded() {
        guard takesBody else { return fail("the end of a body that is not read") }
        body.end()
    }

    /// Whether more of the body is to come and is wanted.
    var takesBody: Bool {
        switch state {
        case .streaming, .holding: !body.isComplete
        case .receivingHead, .deciding, .waitingForServer, .tunnel, .finishing, .done, .broken: false
        }
    }

    // MARK: Ends

    /// Drops everything of this request.
    mutating func end() { state = .done }

    /// The response is out. Returns what becomes of the client's connection.
    ///
    /// - Parameter stays: The result of ``responseStarted(draining:)``.
    mutating func finish(clientStays stays: Bool) -> ClientConnectionFate {
        let fate: ClientConnectionFate = !stays ? .close : body.isComplete ? .keep : .dropRestOfBody
        state = fate == .dropRestOfBody ? .finishing : .done
        return fate
    }

    /// A client that never got its 100 may send its body or leave it out (RFC 9110 section 10.1.1): the next bytes
    /// could be either, so the connection takes no further request.
    var clientMayStay: Bool { wantsKeepAlive && !body.awaitsContinue }

    mutating func fail(_ event: StaticString) {
        if case .broken = state { return }
        state = .broken(event, tunnel)
    }

    /// The tunnel, if the request has become one.
    var tunnel: Tunnel? {
        switch state {
        case .tunnel(let tunnel): tunnel
        case .broken(_, let tunnel): tunnel
        case .receivingHead, .deciding, .waitingForServer, .streaming, .holding, .finishing, .done: nil
        }
    }

    /// The first impossible event; nil if there was none.
    var mistake: StaticString? {
        if case .broken(let event, _) = state { event } else { nil }
    }
}

/// What becomes of the client's connection after a response.
enum ClientConnectionFate: Equatable {
    case keep
    case close
    /// The response came before the request was complete: read the rest of it first.
    case dropRestOfBody
}
