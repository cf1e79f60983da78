import Authorization
import IdentityProvider
import Tenants

/// What a response may have to wait for. Each is asked once, in the order of ``next(_:)``.
///
/// Nearly all requests have nothing of the kind: such a value is one word, which their states carry about for free.
enum ResponseHolds {
    struct Pending {
        /// The request, as long as the server's 401 can lead to its being made again with new tokens.
        var refresh: KeptRequest?
        /// Where tokens stand in a response whose body is gathered and stored.
        var capture: TokenCapture?
        /// Whose account is put on record when the backend has let it in.
        var registration: ProviderIdentity?
        /// Who is signed out when the backend says so.
        var signOut: Caller?

        fileprivate var isEmpty: Bool {
            refresh == nil && capture == nil && registration == nil && signOut == nil
        }
    }

    case none
    indirect case some(Pending)

    init(
        refresh: KeptRequest? = nil,
        capture: TokenCapture? = nil,
        registration: ProviderIdentity? = nil,
        signOut: Caller? = nil
    ) {
        let pending = Pending(refresh: refresh, capture: capture, registration: registration, signOut: signOut)
        self = pending.isEmpty ? .none : .some(pending)
    }

    private init(_ pending: Pending) { self = pending.isEmpty ? .none : .some(pending) }

    var isEmpty: Bool {
        if case .none = self { true } else { false }
    }

    /// Whether the request is kept as it was received.
    var keepsRequest: Bool {
        if case .some(let pending) = self { pending.refresh != nil } else { false }
    }

    var refresh: KeptRequest? {
        if case .some(let pending) = self { pending.refresh } else { nil }
    }

    /// Whether the response may be looked into.
    var wantsCapture: Bool {
        if case .some(let pending) = self { pending.capture != nil } else { false }
    }

    var signOut: Caller? {
        if case .some(let pending) = self { pending.signOut } else { nil }
    }

    /// What this response has to wait for next; nil where there is no more.
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
        if let caller = signOut.take(), response.isSuccess { return .signOut(caller) }
        if let rule = capture.take(), response.mayHoldTokens { return .capture(rule) }
        return nil
    }
}

/// What a response has to wait for. `RequestExchange+Holds.swift` begins each and goes on after it.
enum ResponseHold {
    /// The server said 401: new tokens are got, and the request is made again with them.
    case refresh(KeptRequest)
    /// The role of an account is put on record: from then on the other apps of the realm know it.
    case registration(ProviderIdentity)
    /// The session is ended for everybody before the client is told that it is over.
    case signOut(Caller)
    /// The tokens in the body are stored before the client gets it: only the end of the response waits for that.
    case capture(TokenCapture)

    /// A hold that has begun, with what is needed after it.
    enum Begun {
        case refresh(KeptRequest, RefreshAttempt)
        case registration
        case signOut
        case capture(trailers: [UInt8])

        /// Whether nothing of the response goes to the client before it is over.
        var holdsHead: Bool {
            switch self {
            case .refresh, .registration, .signOut: true
            case .capture: false
            }
        }
    }
}

/// What the holds look at.
struct ResponseSummary: Equatable {
    var status: Int
    /// Whether it has JSON that can be read here.
    var isReadableJSON: Bool

    var isSuccess: Bool { 200..<300 ~= status }
    var mayHoldTokens: Bool { isSuccess && isReadableJSON }
}
