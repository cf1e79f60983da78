import Authorization
import IdentityProvider
import Tenants

/// What a response has to wait for before the client gets any of it. Each is asked once, in the order of ``next(_:)``.
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

    /// Whether the response is looked into.
    var wantsCapture: Bool {
        if case .some(let pending) = self { pending.capture != nil } else { false }
    }

    var signOut: Caller? {
        if case .some(let pending) = self { pending.signOut } else { nil }
    }

    /// What has to be done before the head of a response goes to the client.
    enum Step {
        case refresh(KeptRequest)
        case registration(ProviderIdentity)
        case signOut(Caller)
    }

    /// The next step for this response; nil where its head may go to the client.
    mutating func next(_ response: ResponseSummary) -> Step? {
        guard case .some(var pending) = self else { return nil }
        let step = pending.next(response)
        self = ResponseHolds(pending)
        return step
    }

    /// The last of the list, since it is the end of the response that waits for it.
    ///
    /// - Returns: Where tokens stand in the body, which is gathered from now on; nil where nobody wants them.
    mutating func takeCapture() -> TokenCapture? {
        guard case .some(var pending) = self, let capture = pending.capture.take() else { return nil }
        self = ResponseHolds(pending)
        return capture
    }
}

extension ResponseHolds.Pending {
    /// The list, in the order in which a response goes through it.
    fileprivate mutating func next(_ response: ResponseSummary) -> ResponseHolds.Step? {
        if !response.mayHoldTokens { capture = nil }
        if let kept = refresh.take(), response.status == 401 { return .refresh(kept) }
        if let identity = registration.take(), response.isSuccess { return .registration(identity) }
        if let caller = signOut.take(), response.isSuccess { return .signOut(caller) }
        return nil
    }
}

/// Why a response waits.
enum ResponseHold {
    /// The server said 401: new tokens are to be got, and the request made again with them.
    case unauthorized(KeptRequest)
    /// They were asked for.
    case refreshing(KeptRequest, RefreshAttempt)
    /// The role of an account is put on record: from then on the other apps of the realm know it.
    case registration(ProviderIdentity)
    /// The session is ended for everybody before the client is told that it is over.
    case signOut(Caller)
    /// The tokens in the body are stored; the rest of the response is here.
    case capture(TokenCaptureBuffer, trailers: [UInt8], clientStays: Bool)

    init(_ step: ResponseHolds.Step) {
        self =
            switch step {
            case .refresh(let kept): .unauthorized(kept)
            case .registration(let identity): .registration(identity)
            case .signOut(let caller): .signOut(caller)
            }
    }

    /// The request that is made again after it.
    var keptRequest: KeptRequest? {
        switch self {
        case .unauthorized(let kept), .refreshing(let kept, _): kept
        case .registration, .signOut, .capture: nil
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
