package import Tenants
package import Time
package import Verification

/// A proof of possession (RFC 9449) whose signature and whose first use are to be found out.
package struct ProofStep: Sendable {
    package let tenant: TenantIndex
    package let proof: DPoPProof
    /// The time until which it could be used again.
    package let usableUntil: UnixTime
}

/// What was found of the proof that a request came with.
package enum ProofFinding: Sendable, Equatable {
    /// Whoever sent it holds the key with this thumbprint. It is found once a request: a proof is used up by that.
    case good(keyThumbprint: [UInt8])
    case badSignature
    /// It was used before, here or at another instance.
    case replayed
    /// Whether it was used before cannot be told.
    case storeUnavailable
}
