package import Tenants
package import Time
package import Verification

/// A DPoP proof (RFC 9449) whose signature and first use are to be checked.
package struct ProofStep: Sendable {
    package let tenant: TenantIndex
    package let proof: DPoPProof
    /// The time until which it could be replayed.
    package let usableUntil: UnixTime
}

/// The result for the proof of a request.
package enum ProofFinding: Sendable, Equatable {
    /// The sender holds the key with this thumbprint. Checked once per request: that uses the proof up.
    case good(keyThumbprint: [UInt8])
    case badSignature
    /// It was used before, here or at another instance.
    case replayed
    /// Whether it was used before is unknown.
    case storeUnavailable
}
