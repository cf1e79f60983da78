public import ConfigurationText
public import Verification

/// How a tenant's callers are authenticated: where their tokens are, and who may have signed them.
public struct Authentication: Sendable, Equatable {
    /// In the order of the search; the first source with a token decides.
    public var from: [TokenSource]
    /// Issuers with their keys, the leeway and the required claims.
    public var policy: VerificationPolicy
    /// Where the keys of each of the policy's issuers come from, in the same order.
    public var keySources: [KeySource]
    /// The lines of the policy's issuers in tenants.yaml, in the same order; empty if unknown.
    public var issuerLines: [SourceLine] = []

    /// - Parameter keySources: One for each issuer of `policy`; nil: the policy has all keys.
    public init(from: [TokenSource] = [.bearer], policy: VerificationPolicy, keySources: [KeySource]? = nil) {
        self.from = from
        self.policy = policy
        self.keySources = keySources ?? policy.issuers.map { _ in .inline }
    }
}

/// The part of a request that may have a token.
public enum TokenSource: Sendable, Hashable {
    /// `Authorization: Bearer` (RFC 6750 section 2.1).
    case bearer
    case cookie(name: String)
    case query(name: String)
    /// Lower case.
    case header(name: String)
}
