import IdentityProvider
import Logging
import Tenants
import Time
import Verification

/// Redeems the codes that apps get beside an identity token: Apple's `authorizationCode`, Google's `serverAuthCode`.
struct CodeRedemption: Sendable {
    let signIn: SignIn
    let tokens: any ProviderTokens
    let requests: any ProviderRequests
    let logger: Logger

    /// The client that an app's code was given to; nil if it cannot be redeemed.
    ///
    /// - Parameter audience: Of the identity token.
    func clientID(of provider: SignIn.Provider, audience: String?) -> String? {
        switch provider {
        case .apple: signIn.apple?.web?.privateKey == nil ? nil : audience
        case .google: googleClient?.id
        case .named: nil
        }
    }

    /// - Returns: Nil if the provider gives no refresh token.
    /// - Throws: 5xx if it may be tried again.
    func redeem(_ code: ProviderGrantKeeper.Code, at now: UnixTime) async throws(EndpointRefusal) -> GivenToken? {
        let response: JSONObject
        let kind: ProviderTokenKind
        switch code.identity.provider {
        case .apple:
            kind = .appleIdentity
            response = try await exchange(.apple, signIn.appleAddresses.tokenURL)
                .response(to: code.code, redirectURI: nil, credentials: try appleCredentials(code.clientID, at: now))
        case .google:
            kind = .googleWebIdentity
            guard let client = googleClient else { throw .notSetUp(.google) }
            let credentials = [
                (name: "client_id", value: client.id),
                (name: "client_secret", value: String(decoding: client.secret.bytes, as: UTF8.self)),
            ]
            // Google's SDKs for apps have no redirect URI, and its token endpoint wants an empty one.
            response = try await exchange(.google, signIn.googleAddresses.tokenURL)
                .response(to: code.code, redirectURI: "", credentials: credentials)
        case .named: throw .notSetUp(code.identity.provider)
        }
        try await check(response["id_token"]?.string, kind, code, at: now)
        return GivenToken(clientID: code.clientID, token: response["refresh_token"]?.string)
    }

    /// An app could bring another person's code, whose token would then be taken back with this account.
    private func check(
        _ idToken: String?,
        _ kind: ProviderTokenKind,
        _ code: ProviderGrantKeeper.Code,
        at now: UnixTime
    ) async throws(EndpointRefusal) {
        guard let idToken else { throw .invalidToken("the code gives no ID token") }
        let principal = try await tokens.principal(of: idToken, as: kind, at: now)
        guard principal.subject.map({ $0.utf8.elementsEqual(code.identity.subject.utf8) }) ?? false else {
            throw .invalidToken("the code is another person's")
        }
    }

    private var googleClient: (id: String, secret: Secret)? {
        if let web = signIn.google?.web { return (web.clientID, web.clientSecret) }
        guard let web = signIn.web, web.provider == .google, let id = web.clientID, let secret = web.clientSecret else {
            return nil
        }
        return (id, secret)
    }

    private func exchange(_ provider: SignIn.Provider, _ url: String) -> CodeExchange {
        CodeExchange(provider: provider, tokenURL: url, requests: requests, logger: logger)
    }

    private func appleCredentials(
        _ clientID: String,
        at now: UnixTime
    ) throws(EndpointRefusal) -> [(name: String, value: String)] {
        guard let apple = signIn.apple, let secret = apple.web.flatMap(AppleClientSecret.init) else {
            throw .notSetUp(.apple)
        }
        do throws(SigningError) {
            let clientSecret = try secret.make(for: clientID, audience: apple.issuer, at: now)
            return [("client_id", clientID), ("client_secret", clientSecret)]
        } catch {
            throw .badRequest("the client secret for Apple cannot be signed")
        }
    }
}
