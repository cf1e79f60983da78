import IdentityProvider
import Signals
import Verification

/// Why a logout token or a security event is not taken.
enum SignalRefusal: Error, Sendable, Equatable {
    /// The request is none, or its token has a claim that is not as it must be.
    case invalidRequest(String)
    /// The token's key is not one of its issuer's.
    case invalidKey(String)
    case invalidIssuer(String)
    case invalidAudience(String)
    /// The sender's `bearer` is missing or another.
    case authenticationFailed(String)
    /// The logout token was used before.
    case repeated
    /// The store, the sender's keys or the accounts are out of reach: the sender is to try again.
    case unavailable(String)

    /// RFC 8935 section 2.4.
    var code: String {
        switch self {
        case .invalidRequest, .repeated, .unavailable: "invalid_request"
        case .invalidKey: "invalid_key"
        case .invalidIssuer: "invalid_issuer"
        case .invalidAudience: "invalid_audience"
        case .authenticationFailed: "authentication_failed"
        }
    }

    var description: String {
        switch self {
        case .invalidRequest(let text), .invalidKey(let text), .invalidIssuer(let text), .invalidAudience(let text),
            .authenticationFailed(let text), .unavailable(let text):
            text
        case .repeated: "the token was used before"
        }
    }

    /// The outcome for metrics.
    var result: SignInCounts.SignalResult {
        switch self {
        case .unavailable: .unavailable
        case .repeated: .repeated
        case .invalidRequest, .invalidKey, .invalidIssuer, .invalidAudience, .authenticationFailed: .refused
        }
    }

    static let unstored = SignalRefusal.unavailable("the store is out of reach: try again later")
}

extension SignalRefusal {
    init(_ problem: SignalProblem) { self = .invalidRequest("\(problem)") }

    init(_ problem: ProviderTokenProblem) {
        switch problem {
        case .keysUnavailable: self = .unavailable("the keys of the token's issuer are out of reach: try again later")
        case .refused(let failure): self.init(failure)
        }
    }

    init(_ failure: VerificationFailure) {
        switch failure.reason {
        case .unknownKey, .noFittingKey, .ambiguousKey: self = .invalidKey(failure.summary)
        case .unknownIssuer: self = .invalidIssuer(failure.summary)
        case .wrongAudience: self = .invalidAudience(failure.summary)
        // The summary is about access tokens.
        case .wrongType: self = .invalidRequest("the token's typ says that it is for something else")
        case .badSignature: self = .invalidKey(failure.summary)
        default: self = .invalidRequest(failure.summary)
        }
    }
}
