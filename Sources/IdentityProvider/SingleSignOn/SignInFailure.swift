import Store
import Tenants

/// Why a provider's response does not lead to a sign-in.
enum SignInFailure: Error, Sendable, Equatable {
    case cancelled
    /// The provider reports an error of its own or of our configuration.
    case providerFailed
    /// The provider's token was refused.
    case refused
    case account(AccountProblem)
    /// Too many sign-ins of this account.
    case tooMany(retryAfterSeconds: Int)
    case unavailable(retryAfterSeconds: Int?)
    /// The provider does not answer, or not as it should.
    case providerUnavailable(String, retryAfterSeconds: Int?)
    /// Somebody else than the client wants, or not anew.
    case notAsDemanded(AuthorizationError)
}

extension SignInFailure {
    init(_ refusal: EndpointRefusal) {
        self = refusal.status < 500 ? .refused : .unavailable(retryAfterSeconds: refusal.retryAfterSeconds)
    }

    /// - Parameter provider: Who was asked.
    init(_ refusal: EndpointRefusal, of provider: any BrowserProvider) {
        self =
            refusal.status < 500
            ? .refused : .providerUnavailable(provider.label, retryAfterSeconds: refusal.retryAfterSeconds)
    }

    /// For metrics.
    var outcome: SignInCounts.Outcome {
        switch self {
        case .cancelled: .cancelled
        case .account(.notAllowed): .notAllowed
        case .refused, .account(.otherRole), .account(.refusedByHook), .tooMany, .notAsDemanded: .refused
        case .providerFailed, .account(.unavailable), .unavailable, .providerUnavailable: .unavailable
        }
    }

    init(_ error: IssuingError) { self.init(EndpointRefusal(error)) }

    init(_ error: StoreError) { self.init(.storeUnavailable) }

    var problem: SignInProblem {
        switch self {
        case .cancelled, .refused, .notAsDemanded: .notSignedIn
        case .providerFailed: .unavailable(retryAfterSeconds: nil)
        case .account(.otherRole(let role)): .otherRole(role)
        case .account(.refusedByHook(let status, let message)): .refusedByHook(status: status, message: message)
        case .account(.notAllowed): .notAllowed
        case .tooMany(let seconds): .tooMany(retryAfterSeconds: seconds)
        case .account(.unavailable(let refusal)): .unavailable(retryAfterSeconds: refusal.retryAfterSeconds)
        case .unavailable(let seconds): .unavailable(retryAfterSeconds: seconds)
        case .providerUnavailable(let name, let seconds): .providerUnavailable(name, retryAfterSeconds: seconds)
        }
    }

    /// A label for the log.
    var label: String {
        switch self {
        case .cancelled: "cancelled"
        case .providerFailed: "the provider failed"
        case .notAsDemanded: "another subject or time than the client wants"
        case .refused, .account, .tooMany, .unavailable, .providerUnavailable: problem.label
        }
    }

    /// The error for the client; nil if the user gets a page first, because only the user can act on it.
    var authorizationError: AuthorizationError? {
        switch self {
        case .cancelled: .cancelled
        case .notAsDemanded(let error): error
        case .providerFailed: AuthorizationError(.serverError, "the provider could not complete the sign-in")
        case .refused: AuthorizationError(.accessDenied, "the provider did not confirm an identity")
        case .account(.unavailable), .tooMany, .unavailable, .providerUnavailable: .unavailable
        case .account(.otherRole), .account(.refusedByHook), .account(.notAllowed): nil
        }
    }
}
