import Verification

/// An opaque token that its server is to be asked about (RFC 7662).
struct IntrospectionStep: Sendable {
    let tenant: Int
    let token: [UInt8]
    /// Where the outcome will be remembered.
    let key: TokenCache.Key
    /// Whether the last answer is good still, and will not be for long: then there is time.
    var isAhead = false
}

/// For how long an answer is believed. Unix seconds, counted from when the server was asked.
struct IntrospectionBelief: Sendable, Equatable {
    let until: Double
    /// From when on the server is asked again, so that whoever is here often does not have to wait.
    let aheadFrom: Double

    /// - Parameters:
    ///   - cache: Seconds for which answers are believed.
    ///   - asked: When the server was asked.
    init(cache: Double, asked: Double) {
        until = asked + cache
        // Of what is forgotten sooner nothing is left to ask ahead of.
        aheadFrom = cache >= 1 ? asked + cache * 0.8 : .infinity
    }
}

/// What came of asking.
enum IntrospectionOutcome: Sendable {
    case active(Principal, IntrospectionBelief)
    /// Not good, or good for nothing here.
    ///
    /// - Parameter until: Unix seconds until which that is believed.
    case refused(VerificationFailure, until: Double)
    /// Nobody answered, or not what could be understood.
    ///
    /// - Parameter isForAll: Whether no other token need be asked about before.
    case unavailable(retryAfterSeconds: Int, isForAll: Bool)
    /// Too many other tokens are being asked about.
    case overloaded
}

/// What asking came to, for the request that waited for it: it is decided by this answer even where that is not
/// remembered, so that no request asks twice.
struct IntrospectionFinding {
    enum Verdict {
        case verified(Caller)
        case refused(Refusal)
    }

    private let tenant: Int
    private let token: [UInt8]
    let verdict: Verdict

    init(_ step: IntrospectionStep, _ verdict: Verdict) {
        tenant = step.tenant
        token = step.token
        self.verdict = verdict
    }

    /// A refresh may have put another token in its place.
    func isOf(_ token: Span<UInt8>, tenant: Int) -> Bool {
        tenant == self.tenant && token.withUnsafeBufferPointer { $0.elementsEqual(self.token) }
    }
}

extension Refusal {
    static func introspectionUnavailable(retryAfterSeconds: Int) -> Refusal {
        Refusal(
            .storeUnavailable,
            status: 503,
            detail: "the server that knows the token did not tell whether it is good",
            retryAfterSeconds: retryAfterSeconds
        )
    }

    static let introspectionOverloaded = Refusal(
        .overloaded,
        status: 503,
        detail: "too many tokens are being asked about",
        retryAfterSeconds: 1
    )
}
