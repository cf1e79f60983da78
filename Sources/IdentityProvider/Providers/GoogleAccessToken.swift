import Tenants
import Time
import Verification

extension ProviderChecks {
    private static let longestAccessToken = 4096

    /// An access token is opaque. User info has the subject; only token info shows that it was issued to one of our
    /// apps, and not to another that passes it on.
    func googleIdentity(accessToken: String, at now: UnixTime) async throws(EndpointRefusal) -> ProviderIdentity {
        guard let google else { throw .notSetUp(.google) }
        guard PlainText.isVisible(accessToken, longest: Self.longestAccessToken) else {
            throw .invalidToken(
                "the access token is not one of Google's: it is too long or has invalid characters"
            )
        }
        async let userInfo = requests.reply(
            to: ProviderRequest(
                method: "GET",
                url: google.userInfoURL,
                fields: [.init("Authorization", "Bearer \(accessToken)"), .init("Accept", "application/json")]
            )
        )
        async let tokenInfo = requests.reply(
            to: ProviderRequest(
                method: "GET",
                url: FormText.url(google.tokenInfoURL, adding: [("access_token", accessToken)]),
                fields: [.init("Accept", "application/json")]
            )
        )
        switch await (userInfo, tokenInfo) {
        case (.object(let user), .object(let token)):
            return try GoogleAccessToken.identity(userInfo: user, tokenInfo: token, clientIDs: google.clientIDs)
        case (.refused, _), (_, .refused): throw .invalidToken("Google refuses the access token: sign in again")
        case (.trouble(let trouble), _), (_, .trouble(let trouble)): throw EndpointRefusal(trouble, of: .google)
        }
    }
}

/// Google's responses about an access token.
enum GoogleAccessToken {
    /// - Parameters:
    ///   - userInfo: The response of OpenID Connect Core 1.0 section 5.3.2.
    ///   - tokenInfo: Google's own: numbers and flags are strings there.
    ///   - clientIDs: The apps that the token may have been issued to.
    static func identity(
        userInfo: JSONObject,
        tokenInfo: JSONObject,
        clientIDs: [String]
    ) throws(EndpointRefusal) -> ProviderIdentity {
        guard let audience = tokenInfo["aud"]?.string,
            clientIDs.contains(where: { $0.utf8.elementsEqual(audience.utf8) })
        else { throw .invalidToken("the access token was not issued to a client of this tenant") }
        guard isCurrent(tokenInfo["expires_in"]) else {
            throw EndpointRefusal(.tokenExpired, status: 401, detail: "the access token has expired: sign in again")
        }
        guard let user = ProviderIdentity(userInfo, of: .google), let owner = ProviderIdentity(tokenInfo, of: .google)
        else { throw .invalidToken("the access token has no subject: it needs the scope openid") }
        guard PlainText.areEqual(user.subject, owner.subject) else {
            throw .invalidToken("Google names two owners of the access token")
        }
        return ProviderIdentity(
            provider: .google,
            subject: user.subject,
            email: user.email ?? owner.email,
            isEmailVerified: isEmailVerified(user, owner, tokenInfo["email_verified"]),
            name: user.name
        )
    }

    /// Each of the two that says something must say yes, and about the same address.
    private static func isEmailVerified(
        _ user: ProviderIdentity,
        _ owner: ProviderIdentity,
        _ tokenInfoFlag: JSONValue?
    ) -> Bool {
        guard let email = user.email else { return owner.isEmailVerified }
        guard let other = owner.email else { return user.isEmailVerified }
        return user.isEmailVerified && email.utf8.elementsEqual(other.utf8)
            && (tokenInfoFlag == nil || owner.isEmailVerified)
    }

    /// Seconds, as a number or a string; if absent, Google's 200 is sufficient.
    private static func isCurrent(_ expiresIn: JSONValue?) -> Bool {
        switch expiresIn {
        case nil: true
        case .number(let seconds)?: seconds.value > 0
        case .string(let text)?: Int(text).map { $0 > 0 } ?? false
        case .null?, .bool?, .array?, .object?: false
        }
    }
}
