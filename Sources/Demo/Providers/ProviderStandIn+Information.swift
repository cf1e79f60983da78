import HTTPTypes
import Hummingbird
import Tenants
import Time
import Verification

/// The providers' public endpoints: their keys, and information about access tokens.
extension ProviderStandIn {
    func keys(_ provider: SignIn.Provider) -> Response {
        let document = state.withLock { state in
            provider == .apple ? state.appleKeys.document : state.googleKeys.document
        }
        var response = Response.json(document)
        response.headers[.cacheControl] = "public, max-age=3600"
        return response
    }

    /// OpenID Connect Core 1.0 section 5.3.
    func userInfo(_ request: Request) -> Response {
        guard let token = request.bearerToken, let grant = grant(token), grant.has("openid") else {
            return .json(
                ["error": "invalid_request", "error_description": "Invalid Credentials"],
                status: .unauthorized
            )
        }
        var object: JSONObject = ["sub": .string(grant.user.subject)]
        if grant.has("profile") {
            object["name"] = .string(grant.user.name)
            object["given_name"] = .string(grant.user.givenName)
            object["family_name"] = .string(grant.user.familyName)
        }
        if grant.has("email") {
            object["email"] = .string(grant.user.email)
            object["email_verified"] = .bool(grant.user.isEmailVerified)
        }
        return .json(.object(object))
    }

    /// Google's own: numbers and flags are strings there.
    func tokenInfo(_ request: Request) throws(StandInRefusal) -> Response {
        let token = try FormParameters(request.uri.query ?? "")["access_token"]
        guard let grant = token.flatMap(grant) else {
            throw StandInRefusal(status: 400, error: "invalid_token", reason: "Invalid Value")
        }
        var object: JSONObject = [
            "azp": .string(grant.audience), "aud": .string(grant.audience), "scope": .string(grant.scope),
            "exp": .string("\(Int(grant.expiresAt.seconds))"), "expires_in": .string("\(Int(grant.expiresAt - now()))"),
            "access_type": "online",
        ]
        if grant.has("openid") { object["sub"] = .string(grant.user.subject) }
        if grant.has("email") {
            object["email"] = .string(grant.user.email)
            object["email_verified"] = .string(grant.user.isEmailVerified ? "true" : "false")
        }
        return .json(.object(object))
    }

    /// Nil for an unknown or expired token.
    private func grant(_ token: String) -> GoogleGrant? {
        let grant = state.withLock { $0.accessTokens[token] }
        return grant.flatMap { $0.expiresAt > now() ? $0 : nil }
    }
}

extension GoogleGrant {
    fileprivate func has(_ name: String) -> Bool {
        scope.split(separator: " ").contains { $0 == name }
    }
}
