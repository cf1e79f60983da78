package import SharedState
import Tenants

/// A query about an opaque token, with the key under which its result is cached.
package struct IntrospectionStep: Sendable {
    package let request: IntrospectionRequest
    package let key: TokenCache.Key
    package let digest: TokenDigest
}

/// The introspection result for the request that waited: it holds for this request even if it is not cached, so that no
/// request is introspected twice.
package struct IntrospectionFinding {
    package enum Verdict {
        case verified(Caller)
        case refused(Refusal)
    }

    private let tenant: TenantIndex
    private let token: [UInt8]
    package let verdict: Verdict

    init(_ step: IntrospectionStep, _ verdict: Verdict) {
        tenant = step.request.tenant
        token = step.request.token
        self.verdict = verdict
    }

    /// A refresh may have replaced the token.
    func isOf(_ token: Span<UInt8>, tenant: TenantIndex) -> Bool {
        tenant == self.tenant && token.withUnsafeBufferPointer { $0.elementsEqual(self.token) }
    }
}

extension Refusal {
    static func introspectionUnavailable(retryAfterSeconds: Int) -> Refusal {
        Refusal(
            .storeUnavailable,
            status: 503,
            detail: "the introspection endpoint did not say whether the token is active",
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
