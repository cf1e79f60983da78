import Tenants
import Verification

/// The claims of an access token's subject (OpenID Connect Core section 5.3).
struct UserInfoEndpoint: Sendable {
    let context: SignInContext
    let tokens: OwnTokens

    func respond(to request: EndpointRequest) async throws(OAuthError) -> EndpointResult {
        let realm = context.tenant.name
        guard let token = try token(request) else {
            // A request without a token gets no error code (RFC 6750 section 3.1).
            var fields = [
                OAuthError.challenge("Bearer", realm: realm), EndpointResponse.Field("Cache-Control", "no-store"),
            ]
            if let rules = context.tenant.proof {
                fields.append(OAuthError.proofChallenge(realm: realm, algorithms: rules.algorithms))
            }
            return .response(EndpointResponse(status: 401, fields: fields))
        }
        guard let principal = try await tokens.access(token, of: request), let subject = principal.subject else {
            throw .invalidToken("the access token is unknown, has expired or was revoked", realm: realm)
        }
        guard principal.scopes.contains("openid") else { throw .insufficientScope("openid", realm: realm) }
        guard let account = try await context.account(ofSubject: subject) else {
            throw .invalidToken("the account no longer exists", realm: realm)
        }
        var claims: JSONObject = ["sub": .string(subject)]
        // Those that the provider gave with the sign-in are in the token.
        for known in [account.tokenClaims(principal.scopes), principal.claims] {
            for member in ScopeClaims.asked(by: principal.scopes, of: known).members where claims[member.name] == nil {
                claims[member.name] = member.value
            }
        }
        return .response(.json(claims, subject: subject))
    }

    /// From the Authorization field, or from a posted form (RFC 6750 sections 2.1 and 2.2), but not both. Tokens in a
    /// query are not accepted (RFC 9700 section 4.3.2).
    private func token(_ request: EndpointRequest) throws(OAuthError) -> String? {
        let fromField = request.fields.authorization.flatMap(AuthorizationField.accessToken)
        guard request.method == "POST", OAuthForm.isForm(request) else { return fromField }
        let fromForm = try OAuthForm.fields(request.body)["access_token"]
        guard fromField == nil || fromForm == nil else {
            throw .twoTokens(realm: context.tenant.name)
        }
        return fromField ?? fromForm
    }
}
