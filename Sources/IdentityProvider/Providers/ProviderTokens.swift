public import Tenants
public import Time
public import Verification

/// Verifies tokens signed by identity providers, with their key sets.
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

/// The kinds of provider tokens, each with its policy: issuer, signature, and audience.
public enum ProviderTokenKind: Sendable, Hashable {
    /// An identity token of an app: `client_ids` of `sign_in.apple`; `exp`, `iat` and `sub` are required.
    case appleIdentity
    /// An identity token of the browser flow: the client of `sign_in.apple.web`, or that of `sign_in.web`.
    case appleWebIdentity
    /// A server-to-server event: `client_ids` of `sign_in.apple` and the browser's; has no `exp`, but `iat` and `jti`.
    case appleNotification
    case googleIdentity
    case googleWebIdentity
    /// An ID token of the browser flow of one of `sign_in.providers`.
    case namedWebIdentity(String)
    /// One that an app got there: `client_ids` of its `exchange`.
    case namedIdentity(String)

    /// Those of a tenant.
    public static func all(of signIn: SignIn) -> [ProviderTokenKind] {
        [.appleIdentity, .appleWebIdentity, .appleNotification, .googleIdentity, .googleWebIdentity]
            + signIn.named.flatMap { [.namedWebIdentity($0.name), .namedIdentity($0.name)] }
    }
}

public enum ProviderTokenProblem: Error, Sendable, Equatable {
    case refused(VerificationFailure)
    /// The provider's keys are not known, and cannot be fetched now.
    case keysUnavailable
}
