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
            /// New tokens in the place of those that have expired.
            indirect case refresh(RefreshAttempt, ReceivedRequest)
            /// The request is a proxy's question about another one.
            case decisionQuery
        }

        var wait = Wait.nothing
        /// The request's body, where it does not come from the client.
        var content: ContentAtHand?
    }

    /// A request that no server has.
    struct Forwarding {
        var holds: ResponseHolds
        var content: ContentAtHand?
        /// Whether a server has had it, which may have acted on it.
        var wasSent = false
    }

    /// Where the body of a request comes from that a server has.
    enum ForwardedBody {
        /// There is none, or it was forwarded.
        case complete
        case fromClient
        case atHand(ContentAtHand)
    }

    /// A request that somebody has who will answer it.
    struct Streaming {
        enum Destination {
            case server
            case endpoint(EndpointCall)
        }

        enum Response {
            case awaited
            /// The same, of a response that is gathered once it has begun.
            case toBeGathered(TokenCaptureBuffer)
            /// - Parameter clientStays: Whether the client's connection goes on after it.
            case passing(clientStays: Bool)
            /// Its body may hold tokens, which are stored before the client gets it.
            case gathering(TokenCaptureBuffer, clientStays: Bool)

            /// Whether nothing of it went on.
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
        /// Whether it is the response that has ended the caller's session.
        var endsSession = false

        /// Whether a server has the request, and nothing of its response went on.
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
        /// Where the response is meanwhile.
        enum Response {
            /// The server keeps it until it is asked to go on.
            case atServer
            /// It is here as a whole, and the server is free for others.
            case here(ReceivedResponse)
        }

        let hold: ResponseHold.Begun
        /// What goes on after it.
        var streaming: Streaming
        var response = Response.atServer
    }
}
