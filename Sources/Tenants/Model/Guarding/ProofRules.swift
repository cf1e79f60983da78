public import ConfigurationText
public import Verification

/// Rules for proofs of possession: callers prove that they hold the key that their token is bound to (DPoP, RFC 9449).
public struct ProofRules: Sendable, Equatable {
    public enum Need: String, Sendable, CaseIterable {
        /// Tokens that are bound to no key are refused.
        case required
        /// Tokens that are bound to a key need a proof, others are bearer tokens.
        case optional
    }

    public var need = Schema.dpop.need.default
    /// Whether proofs must hold a nonce of ours (RFC 9449 section 9).
    public var nonce = Schema.dpop.nonce.default
    public var maxAge = Schema.dpop.maxAge.default
    /// Asymmetric ones only.
    public var algorithms = Schema.dpop.algorithms.default
    public var mode = Schema.dpop.mode.default
    /// The line in tenants.yaml.
    public var line: SourceLine = 0
}
