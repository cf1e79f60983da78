import HTTPTypes
import Hummingbird
public import Tenants
import Time
import Verification

/// Refresh tokens, the codes that apps get them for, and their revocation (RFC 7009).
extension ProviderStandIn {
    /// A code as the provider's software on a phone returns it beside an identity token: Apple's `authorizationCode`,
    /// Google's `serverAuthCode`.
    ///
    /// - Parameter clientID: The app at Apple, the web client at Google.
    public func appCode(for user: ProviderUser, at provider: SignIn.Provider, clientID: String) -> String {
        let code = RandomText.make(bytes: 32)
        let authorization = ProviderAuthorizationRequest(ofApp: clientID)
        let issued = IssuedCode(authorization: authorization, user: user, expiresAt: now() + 300)
        state.withLock { $0.codes.insert(issued, for: code) }
        return code
    }

    /// The refresh tokens of a user that were given out and not revoked.
    public func validRefreshTokens(of subject: String, at provider: SignIn.Provider) -> Int {
        state.withLock { $0.refreshCounts["\(provider.rawValue) \(subject)"] ?? 0 }
    }

    func refreshToken(for code: IssuedCode, at provider: SignIn.Provider) -> String {
        let token = RandomText.make(bytes: 32)
        let grant = RefreshGrant(provider: provider, user: code.user, clientID: code.authorization.clientID)
        state.withLock { state in
            state.refreshTokens.insert(grant, for: token)
            state.refreshCounts.insert((state.refreshCounts[grant.owner] ?? 0) + 1, for: grant.owner)
        }
        return token
    }

    /// Apple's response to a token that is not valid any more is the same.
    func revokeAtApple(_ parameters: FormParameters) throws -> Response {
        let clientID = try parameters.require("client_id")
        try checkAppleSecret(try parameters.require("client_secret"), of: clientID)
        _ = revoke(try parameters.require("token"), at: .apple, clientID: clientID)
        return Response(status: .ok)
    }

    func revokeAtGoogle(_ parameters: FormParameters) throws -> Response {
        guard revoke(try parameters.require("token"), at: .google, clientID: nil) else {
            throw StandInRefusal(status: 400, error: "invalid_token", reason: "Token expired or revoked")
        }
        return .json([:])
    }

    /// - Parameter clientID: Nil: any client's.
    /// - Returns: Whether it was valid.
    private func revoke(_ token: String, at provider: SignIn.Provider, clientID: String?) -> Bool {
        state.withLock { state in
            guard var grant = state.refreshTokens[token], grant.provider == provider, !grant.isRevoked,
                clientID.map({ $0 == grant.clientID }) ?? true
            else { return false }
            grant.isRevoked = true
            state.refreshTokens.insert(grant, for: token)
            state.refreshCounts.insert((state.refreshCounts[grant.owner] ?? 0) - 1, for: grant.owner)
            return true
        }
    }
}
