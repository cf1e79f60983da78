import Time
import Verification

extension ProviderTokens {
    /// The identity of a browser sign-in, from the ID token that the code was exchanged for.
    ///
    /// - Parameters:
    ///   - kind: Its policy may allow several clients of the tenant; the token must be for `clientID`.
    ///   - nonce: From the authorization request: it binds the token to that browser.
    func browserIdentity(
        _ token: String,
        as kind: ProviderTokenKind,
        for clientID: String,
        nonce: String,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> ProviderIdentity {
        try kind.identity(try await browserPrincipal(token, as: kind, for: clientID, nonce: nonce, at: now))
    }

    /// The claims of that ID token.
    func browserPrincipal(
        _ token: String,
        as kind: ProviderTokenKind,
        for clientID: String,
        nonce: String,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> Principal {
        let principal = try await principal(of: token, as: kind, at: now)
        guard IDTokenAudience.isValid(principal, for: [clientID], isOwnFlow: true) else { throw .foreign(kind) }
        guard let claim = principal.claims["nonce"]?.string, !nonce.isEmpty, PlainText.areEqual(claim, nonce) else {
            throw .invalidToken("\(kind.noun) is refused: its nonce is not this sign-in's")
        }
        return principal
    }
}
