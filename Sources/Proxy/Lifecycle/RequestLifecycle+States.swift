import Authorization
import Tenants
import Upstream

extension RequestLifecycle {
    /// A request that is being decided on.
    struct Deciding {
        /// What the decision waits for.
        enum Wait {
            /// It is being made.
            case nothing
            case step(ReceivedRequest)
            /// New tokens to replace the expired ones.
            indirect case refresh(RefreshAttempt, ReceivedRequest)
            /// The request is a decision query of another proxy.
            case decisionQuery
        }

        var wait = Wait.nothing
        /// The request's body, if it does not come from the client.
        var content: BufferedBody?
    }

    /// A granted request without a server.
    struct Forwarding {
        var holds: ResponseHolds
        var content: BufferedBody?
        /// Whether a server has received it, and may have acted on it.
        var wasSent = false
    }

    /// Where the body of a forwarded request comes from.
    enum ForwardedBody {
        /// There is none, or it was forwarded.
        case complete
        case fromClient
        case atHand(BufferedBody)
    }

    /// A request that a server or an endpoint has.
    struct Streaming {
        enum Destination {
            case server
            case endpoint(EndpointCall)
        }

        enum Response {
            case awaited
            /// The same, for a response that will be gathered once it begins.
            case toBeGathered(TokenCaptureBuffer)
            /// - Parameter clientStays: Whether the client's connection stays open afterwards.
            case passing(clientStays: Bool)
            /// Its body may hold tokens, which are stored before the client gets the end.
            case gathering(TokenCaptureBuffer, clientStays: Bool)

            /// Whether no part of it went to the client.
            var isAwaited: Bool {
                switch self {
                case .awaited, .toBeGathered: true
                case .passing, .gathering: false
                }
            }
        }

        let destination: Destination
        var holds: ResponseHolds
        var response = Response.awaited
        /// Whether this response has ended the caller's session.
        var endsSession = false

        /// Whether a server has the request, and no part of its response went to the client.
        var isAwaitedFromServer: Bool {
            if case .server = destination { response.isAwaited } else { false }
        }

        func mayWait(for hold: ResponseHold.Begun) -> Bool {
            if hold.holdsHead { return isAwaitedFromServer }
            if case .gathering = response { return true }
            return false
        }

        init(_ holds: ResponseHolds) {
            destination = .server
            self.holds = holds
        }

        init(_ call: EndpointCall) {
            destination = .endpoint(call)
            holds = ResponseHolds()
        }
    }

    /// A response that has begun and waits.
    struct Holding {
        /// Where the response is in the meantime.
        enum Response {
            /// The server holds it until reading resumes.
            case atServer
            /// It is here as a whole, and the server connection is free for others.
            case here(ReceivedResponse)
        }

        let hold: ResponseHold.Begun
        /// The state after the hold.
        var streaming: Streaming
        var response = Response.atServer
    }
}
