package import Tenants
import Verification

extension EndpointRefusal {
    /// Why a provider's token is refused. The detail names the violated rule, so that the app's developer finds the
    /// mistake, and no content of the token.
    init(_ problem: ProviderTokenProblem, _ kind: ProviderTokenKind) {
        switch problem {
        case .keysUnavailable: self = .keysUnavailable(of: kind.provider)
        case .refused(let failure): self.init(failure, kind)
        }
    }

    private init(_ failure: VerificationFailure, _ kind: ProviderTokenKind) {
        switch failure.reason {
        case .keysNotLoaded: self = .keysUnavailable(of: kind.provider)
        case .expired:
            self.init(.tokenExpired, status: 401, detail: "\(kind.noun) has expired: sign in again")
        case .wrongAudience: self = .foreign(kind)
        case .wrongType: self = .invalidToken("\(kind.noun) is refused: its type is a different one")
        default: self = .invalidToken("\(kind.noun) is refused: \(failure.summary)")
        }
    }

    /// The token is for another app.
    static func foreign(_ kind: ProviderTokenKind) -> EndpointRefusal {
        .invalidToken("\(kind.noun) is refused: its audience is no client of this tenant")
    }

    private static func keysUnavailable(of provider: SignIn.Provider) -> EndpointRefusal {
        .providerUnavailable("\(provider.vendor)'s keys cannot be fetched at the moment: try again")
    }

    /// The provider sent no response, or an invalid one.
    init(_ trouble: ProviderRequestFailure, of provider: SignIn.Provider) {
        switch trouble {
        case .timeout:
            self = .providerUnavailable("\(provider.vendor) did not respond in time: try again", isTimeout: true)
        case .unreachable, .garbled:
            self = .providerUnavailable("\(provider.vendor) cannot be reached at the moment: try again")
        }
    }

    /// The provider is not configured here.
    package static func notSetUp(_ provider: SignIn.Provider) -> EndpointRefusal {
        .badRequest("signing in with \(provider.vendor) is not set up here")
    }
}
