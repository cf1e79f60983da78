public import Time
public import Verification

/// Verifies tokens signed by Apple and Google, with their key sets.
public protocol ProviderTokens: Sendable {
    /// - Parameters:
    ///   - token: A JWS in compact form.
    ///   - kind: The expected kind.
    func verify(
        _ token: String,
        as kind: ProviderTokenKind,
        at now: UnixTime
    ) async -> Result<Principal, ProviderTokenProblem>
}

/// The kinds of provider tokens, each with its policy: issuer, signature (RS256), and audience.
public enum ProviderTokenKind: String, Sendable, Hashable, CaseIterable {
    /// An identity token of an app: `client_ids` of `sign_in.apple`; `exp`, `iat` and `sub` are required.
    case appleIdentity
    /// An identity token of the browser flow: the client of `sign_in.apple.web`, or that of `sign_in.web`.
    case appleWebIdentity
    /// A server-to-server event: `client_ids` of `sign_in.apple` and the browser's; has no `exp`, but `iat` and `jti`.
    case appleNotification
    case googleIdentity
    case googleWebIdentity
}

public enum ProviderTokenProblem: Error, Sendable, Equatable {
    case refused(VerificationFailure)
    /// The provider's keys are not known, and cannot be fetched now.
    case keysUnavailable
}
