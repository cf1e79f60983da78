import Authorization
import IdentityProvider
import Tenants

/// What a response may have to wait for. Each hold is checked once, in the order of ``next(_:)``.
///
/// Nearly all requests have none: the value is one machine word and costs their states nothing.
enum ResponseHolds {
    struct Pending {
        /// The request, while a 401 from the server can lead to its replay with new tokens.
        var refresh: ReplayableRequest?
        /// Where to find tokens in a response that is gathered and stored.
        var capture: TokenCapture?
        /// The account to record when the backend has admitted it.
        var registration: ProviderIdentity?
        /// The callers to sign out when the backend signals it; nil for none.
        var signOut: [Caller]?
        /// The token of a former issuer to exchange for a session, while the response can bring it.
        var adoption: AdoptionAttempt?

        fileprivate var isEmpty: Bool {
            refresh == nil && capture == nil && registration == nil && signOut == nil && adoption == nil
        }
    }

    case none
    indirect case some(Pending)

    init(
        refresh: ReplayableRequest? = nil,
        capture: TokenCapture? = nil,
        registration: ProviderIdentity? = nil,
        signOut: [Caller]? = nil,
        adoption: AdoptionAttempt? = nil
    ) {
        let pending = Pending(
            refresh: refresh,
            capture: capture,
            registration: registration,
            signOut: signOut,
            adoption: adoption
        )
        self = pending.isEmpty ? .none : .some(pending)
    }

    private init(_ pending: Pending) { self = pending.isEmpty ? .none : .some(pending) }

    var isEmpty: Bool {
        if case .none = self { true } else { false }
    }

    /// Whether the request is kept as received.
    var keepsRequest: Bool {
        if case .some(let pending) = self { pending.refresh != nil } else { false }
    }

    var refresh: ReplayableRequest? {
        if case .some(let pending) = self { pending.refresh } else { nil }
    }

    /// Whether the response may be searched for tokens.
    var wantsCapture: Bool {
        if case .some(let pending) = self { pending.capture != nil } else { false }
    }

    var signOut: [Caller]? {
        if case .some(let pending) = self { pending.signOut } else { nil }
    }

    /// The next hold of this response; nil if there are no more.
    mutating func next(_ response: ResponseSummary) -> ResponseHold? {
        guard case .some(var pending) = self else { return nil }
        let hold = pending.next(response)
        self = ResponseHolds(pending)
        return hold
    }
}

extension ResponseHolds.Pending {
    /// The list of all holds.
    fileprivate mutating func next(_ response: ResponseSummary) -> ResponseHold? {
        if let kept = refresh.take(), response.status == 401 { return .refresh(kept) }
        if let identity = registration.take(), response.isSuccess { return .registration(identity) }
        if let callers = signOut.take(), response.isSuccess { return .signOut(callers) }
        if let attempt = adoption.take(), response.mayBringSession { return .adoption(attempt) }
        if let rule = capture.take(), response.mayHoldTokens { return .capture(rule) }
        return nil
    }
}

/// One hold of a response. `RequestExchange+Holds.swift` begins each and continues after it.
enum ResponseHold {
    /// The server sent 401: refresh the token and replay the request.
    case refresh(ReplayableRequest)
    /// Record the role of an account: from then on the other apps of the realm know it.
    case registration(ProviderIdentity)
    /// End the sessions on all instances before the client learns of it.
    case signOut([Caller])
    /// Exchange the token of a former issuer for a session, whose tokens the response brings.
    case adoption(AdoptionAttempt)
    /// Store the tokens in the body before the client gets it: only the end of the response waits.
    case capture(TokenCapture)

    /// A hold that has begun, with what is needed to continue.
    enum Begun {
        case refresh(ReplayableRequest, RefreshAttempt)
        case registration
        case signOut
        case adoption(AdoptionAttempt)
        case capture(trailers: [UInt8])

        /// Whether the hold keeps the whole response from the client.
        var holdsHead: Bool {
            switch self {
            case .refresh, .registration, .signOut, .adoption: true
            case .capture: false
            }
        }
    }
}

/// The properties of a response that the holds check.
struct ResponseSummary: Equatable {
    var status: Int
    /// Whether it has JSON that the gateway can read.
    var isReadableJSON: Bool

    var isSuccess: Bool { 200..<300 ~= status }
    var mayHoldTokens: Bool { isSuccess && isReadableJSON }
    /// Not if the server does not accept the token, or is in trouble itself: clients mostly drop such a response.
    var mayBringSession: Bool { status != 401 && status < 500 }
}
