public import Verification

/// How a tenant's callers are known: where the token is, and who may have signed it.
public struct Authentication: Sendable, Equatable {
    /// Looked through in order; the first place that has a token decides.
    public var from: [TokenSource]
    /// Issuers with their keys, the leeway and the required claims.
    public var policy: VerificationPolicy
    /// Where the keys of each of the policy's issuers come from, in the same order.
    public var keySources: [KeySource]
    /// Where the policy's issuers stand in tenants.yaml, in the same order; empty where that is not known.
    public var issuerLines: [Int] = []

    /// - Parameter keySources: One for each issuer of `policy`; nil: what the policy has is all.
    public init(from: [TokenSource] = [.bearer], policy: VerificationPolicy, keySources: [KeySource]? = nil) {
        self.from = from
        self.policy = policy
        self.keySources = keySources ?? policy.issuers.map { _ in .inline }
    }
}

/// A place in a request that may hold a token.
public enum TokenSource: Sendable, Hashable {
    /// `Authorization: Bearer` (RFC 6750 section 2.1).
    case bearer
    case cookie(name: String)
    case query(name: String)
    /// Lower case.
    case header(name: String)
}
