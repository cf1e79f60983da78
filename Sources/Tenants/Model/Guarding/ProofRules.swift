public import Verification

/// What callers must prove besides having a token: that they hold the key that it is bound to (DPoP, RFC 9449).
public struct ProofRules: Sendable, Equatable {
    public enum Need: String, Sendable, CaseIterable {
        /// Tokens that are bound to no key are refused.
        case required
        /// Tokens that are bound to a key need a proof, others are bearer tokens.
        case optional
    }

    public var need = Schema.dpop.need.standard
    /// Whether proofs must hold a nonce of ours (RFC 9449 section 9).
    public var nonce = Schema.dpop.nonce.standard
    public var maxAge = Schema.dpop.maxAge.standard
    /// Asymmetric ones only.
    public var algorithms = Schema.dpop.algorithms.standard
    public var mode = Schema.dpop.mode.standard
    /// The line in tenants.yaml.
    public var line: Int = 0
}
