import Time

/// Checks what an app got from a provider.
protocol ExchangeChecking: Sendable {
    /// Apple's identity token, with the raw nonce that the app has sent along.
    func appleIdentity(
        _ token: String,
        rawNonce: String?,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> CheckedAppleToken

    func googleIdentity(idToken: String, at now: UnixTime) async throws(EndpointRefusal) -> ProviderIdentity

    func googleIdentity(accessToken: String, at now: UnixTime) async throws(EndpointRefusal) -> ProviderIdentity

    /// - Parameter body: What Apple has posted: `{"payload": JWS}`.
    func appleEvent(_ body: [UInt8], at now: UnixTime) async throws(EndpointRefusal) -> AppleEvent
}

/// An identity token of Apple's that is good.
struct CheckedAppleToken: Sendable {
    let identity: ProviderIdentity
    /// The SHA-256 of its signing input: the same token, however its signature is written.
    let signingInputSHA256: [UInt8]
    let expiresAt: UnixTime
}

/// A server-to-server event of Apple's, verified.
struct AppleEvent: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case emailDisabled
        case emailEnabled
        case consentRevoked
        case accountDeleted
        /// One that Apple has thought of since.
        case other(String)
    }

    let kind: Kind
    /// Apple's `sub`.
    let subject: String
    /// When it happened; never later than now.
    let happenedAt: UnixTime
}
