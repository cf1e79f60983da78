import Tenants
import Time
import TokenSigning
import Verification

/// Verifies the tokens of a tenant's own issuer for its endpoints.
struct OwnTokenChecks: Sendable {
    /// Seconds for which an expired token may still end its session.
    private static let graceAfterExpiry = 30.0 * 86_400

    /// Nil for a tenant without an issuer.
    let verifier: OwnTokenVerifier?

    init(_ context: SignInContext) {
        verifier = context.keys.flatMap { keys in
            context.tenant.issuer.map {
                OwnTokenVerifier(IssuerRules($0, tenant: context.tenant.name), keys: keys)
            }
        }
    }

    /// The access token of a request.
    ///
    /// - Parameter allowExpired: Whether to accept one that expired within the last 30 days.
    func presented(
        _ token: String,
        allowExpired: Bool,
        at now: UnixTime
    ) async -> Result<Principal, EndpointRefusal> {
        guard let verifier else { return .failure(.invalidToken("there is no issuer here")) }
        switch await verifier.verify(token, as: .access, at: now, allowExpired: allowExpired) {
        case .success(let principal):
            let isTooOld = (principal.expiresAt ?? now) + Self.graceAfterExpiry < now
            return isTooOld ? .failure(.expired) : .success(principal)
        case .failure(.refused(let failure)) where failure.isExpiry: return .failure(.expired)
        case .failure(.refused), .failure(.wrongType):
            return .failure(.invalidToken("the access token is not one of this app's"))
        case .failure(.unavailable):
            return .failure(
                EndpointRefusal(
                    .storeUnavailable,
                    status: 503,
                    detail: "tokens cannot be verified at the moment",
                    retryAfterSeconds: 1
                )
            )
        }
    }
}

extension EndpointRefusal {
    fileprivate static let expired = EndpointRefusal(.tokenExpired, status: 401, detail: "the token has expired")
}
