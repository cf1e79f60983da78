public import IdentityProvider
public import Tenants
public import Time
public import Verification

/// Verifies logout tokens and security events, with the keys of their senders.
public protocol SenderTokens: Sendable {
    /// - Parameters:
    ///   - token: A JWS in compact form.
    ///   - sender: Whose it must be.
    ///   - issuer: The token's `iss`, which is one of the sender's.
    func verify(
        _ token: [UInt8],
        of sender: TrustedSender,
        issuer: String,
        as purpose: TokenPurpose,
        at now: UnixTime
    ) async -> Result<Principal, ProviderTokenProblem>
}
