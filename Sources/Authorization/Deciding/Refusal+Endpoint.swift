import Counting
package import IdentityProvider

extension Refusal {
    package init(_ refusal: EndpointRefusal) {
        self.init(
            RefusalCode(refusal.code),
            status: refusal.status,
            detail: refusal.detail,
            retryAfterSeconds: refusal.retryAfterSeconds
        )
    }

    static func methodNotAllowed(_ methods: [String]) -> Refusal {
        var refusal = Refusal(
            .badRequest,
            status: 405,
            detail: "this endpoint takes \(methods.joined(separator: " and "))"
        )
        refusal.allowedMethods = methods
        return refusal
    }
}

extension RefusalCode {
    init(_ code: EndpointRefusal.Code) {
        self =
            switch code {
            case .missingToken: .missingToken
            case .invalidToken: .invalidToken
            case .tokenExpired: .tokenExpired
            case .tokenRevoked: .tokenRevoked
            case .rateLimited: .rateLimited
            case .conflictingTokens: .conflictingTokens
            case .crossSiteRequest: .crossSiteRequest
            case .backendUnavailable: .backendUnavailable
            case .backendTimeout: .backendTimeout
            case .overloaded: .overloaded
            case .storeUnavailable: .storeUnavailable
            case .badRequest: .badRequest
            case .notAllowed: .notAllowed
            }
    }
}
