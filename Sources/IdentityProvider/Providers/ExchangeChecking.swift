import Tenants
import Time

/// Verifies tokens that apps got from a provider.
protocol ExchangeChecking: Sendable {
    /// Apple's identity token, with the raw nonce from the app.
    func appleIdentity(
        _ token: String,
        rawNonce: String?,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> CheckedIDToken

    func googleIdentity(idToken: String, at now: UnixTime) async throws(EndpointRefusal) -> ProviderIdentity

    func googleIdentity(accessToken: String, at now: UnixTime) async throws(EndpointRefusal) -> ProviderIdentity

    /// The ID token of one of `sign_in.providers`.
    ///
    /// - Parameter nonce: As the app gave it to the provider; the token must have it, or none.
    func namedIdentity(
        _ provider: NamedProvider,
        idToken: String,
        nonce: String?,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> CheckedIDToken

    /// - Parameter body: As posted by Apple: `{"payload": JWS}`.
    func appleEvent(_ body: [UInt8], at now: UnixTime) async throws(EndpointRefusal) -> AppleEvent
}

/// A verified ID token that works once: Apple's, or a named provider's.
struct CheckedIDToken: Sendable {
    let identity: ProviderIdentity
    /// The SHA-256 of its signing input: the same for any encoding of the signature.
    let signingInputSHA256: [UInt8]
    let expiresAt: UnixTime
    /// The app it is for.
    var clientID: String?
}

/// A verified server-to-server event from Apple.
struct AppleEvent: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case emailDisabled
        case emailEnabled
        case consentRevoked
        case accountDeleted
        /// An event type unknown to this version.
        case other(String)
    }

    let kind: Kind
    /// Apple's `sub`.
    let subject: String
    /// Of events about the forwarding of e-mails.
    var email: String?
    var isPrivateEmail: Bool?
    /// Time of the event; never in the future.
    let happenedAt: UnixTime
}
