import Authorization
import HTTPCore
import Upstream

/// The life of one request and its response, as a value without I/O: what has been seen of the client and of the server,
/// and what follows from the next event. ``RequestExchange`` feeds it and performs what it returns.
///
///     receivingHead -> deciding -> waitingForServer <-> streaming <-> holding
///                         |                |                |            |
///                         +----------------+-> finishing <--+------------+--> tunnel
///                                                  |                            |
///                                                  v                            v
///                                                done <-------------------------+
///
/// What may be read in a state is in that state: the next request begins with a value that knows nothing of this one.
/// An event that cannot happen in the present state is a mistake of ours: it moves the request to `broken`, which trips an
/// assertion, and in release costs the connection.
struct RequestLifecycle: ~Copyable {
    enum State {
        /// Nothing of a request, or only a part of its head.
        case receivingHead
        case deciding(Deciding)
        /// Decided, and no server has the request yet or any more.
        case waitingForServer(Forwarding)
        /// A server has the request, or the gateway itself takes it for one of its endpoints.
        case streaming(Streaming)
        /// A response has begun and waits, before any of it goes to the client.
        indirect case holding(Holding)
        /// Protocols are switched: bytes pass both ways until one side ends.
        case tunnel(Tunnel)
        /// The response is out; the rest of the request's body is read and dropped.
        case finishing
        case done
        /// An event came that must not have been possible; the tunnel that stood is yet to be ended.
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

    /// The step that is waited for is a refresh.
    mutating func waitsForRefresh(_ attempt: RefreshAttempt) {
        guard case .deciding(var deciding) = state, case .step(let request) = deciding.wait else {
            return fail("a refresh that no decision waits for")
        }
        deciding.wait = .refresh(attempt, request)
        state = .deciding(deciding)
    }

    /// A proxy has asked about another request, whose decision waits.
    mutating func waitsForDecisionQuery() {
        guard case .deciding(var deciding) = state, case .nothing = deciding.wait else {
            return fail("a decision query while a step is under way")
        }
        deciding.wait = .decisionQuery
        state = .deciding(deciding)
    }

    /// What was waited for has been done, or there was no room for it: the request is decided on again.
    ///
    /// - Returns: Nil where nothing was waited for.
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

    /// The answer to a proxy's question is there.
    ///
    /// - Returns: Whether it was waited for.
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

    /// The gateway itself takes the request.
    mutating func endpointTaken(_ call: EndpointCall) {
        guard case .deciding(let deciding) = state, case .nothing = deciding.wait else {
            return fail("an endpoint without a decision")
        }
        state = .streaming(Streaming(call))
    }

    /// The server is lost and the request may be made again: it waits for another one.
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
    mutating func endpointPassedOn(_ content: ContentAtHand?) -> ReceivedRequest? {
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

    /// A piece of the body has come: the client did not wait for a 100.
    ///
    /// - Parameter limit: Bytes; nil for none.
    /// - Returns: Whether there may be as much.
    mutating func bodyReceived(_ count: Int, limit: Int?) -> Bool {
        guard takesBody else {
            fail("a body that nobody takes")
            return false
        }
        body.received(count)
        guard let limit else { return true }
        return body.count <= limit
    }

    /// The client is told to go on: a 100 comes before the response.
    mutating func continuePassedOn() {
        guard case .streaming(let streaming) = state, case .awaited = streaming.response else {
            return fail("a 100 that no response follows")
        }
        body.awaitsContinue = false
    }

    /// The request is whole.
    mutating func bodyEnded() {
        guard takesBody else { return fail("the end of a body that nobody takes") }
        body.end()
    }

    /// Whether more of the body is to come, and somebody takes it.
    var takesBody: Bool {
        switch state {
        case .streaming, .holding: !body.isComplete
        case .receivingHead, .deciding, .waitingForServer, .tunnel, .finishing, .done, .broken: false
        }
    }

    // MARK: Ends

    /// Nothing of this request is of use any more.
    mutating func end() { state = .done }

    /// The response is out. Gives what becomes of the client's connection.
    ///
    /// - Parameter stays: What ``responseStarted(draining:)`` gave.
    mutating func finish(clientStays stays: Bool) -> ClientConnectionFate {
        let fate: ClientConnectionFate = !stays ? .close : body.isComplete ? .keep : .dropRestOfBody
        state = fate == .dropRestOfBody ? .finishing : .done
        return fate
    }

    /// A client that was never told to go on may send its body or leave it out (RFC 9110 section 10.1.1): what comes
    /// next on that connection could be either, so there is no next.
    var clientMayStay: Bool { wantsKeepAlive && !body.awaitsContinue }

    mutating func fail(_ event: StaticString) {
        if case .broken = state { return }
        state = .broken(event, tunnel)
    }

    /// The tunnel that the request has become.
    var tunnel: Tunnel? {
        switch state {
        case .tunnel(let tunnel): tunnel
        case .broken(_, let tunnel): tunnel
        case .receivingHead, .deciding, .waitingForServer, .streaming, .holding, .finishing, .done: nil
        }
    }

    /// The first event that must not have been possible; nil where all is well.
    var mistake: StaticString? {
        if case .broken(let event, _) = state { event } else { nil }
    }
}

/// What becomes of the client's connection after a response.
enum ClientConnectionFate: Equatable {
    case keep
    case close
    /// The response came before the request was whole: what is left of it has to be read first.
    case dropRestOfBody
}
