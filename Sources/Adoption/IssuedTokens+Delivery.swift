public import IdentityProvider
public import SharedState
public import Tenants
import Verification

extension IssuedTokens {
    /// The cookies that deliver them.
    public func cookies(_ delivery: RefreshDelivery) -> [Renewal.Cookie] {
        let answer = JSONValue.object(response)
        return delivery.cookies.compactMap { cookie in
            guard let value = cookie.value.value(in: answer)?.string else { return nil }
            let isAccessToken = value.utf8.elementsEqual(accessToken.utf8)
            return Renewal.Cookie(
                name: cookie.name,
                value: Array(value.utf8),
                expiresAt: isAccessToken ? accessExpiresAt : sessionExpiresAt
            )
        }
    }
}
