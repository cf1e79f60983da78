import Tenants
import Time
import Verification

/// Token introspection (RFC 7662): a client with a secret may ask about any token; the holder of a valid access token
/// about tokens of the same subject.
struct IntrospectionEndpoint: Sendable {
    /// The authenticated caller.
    private enum Caller {
        case client
        case subject(String)

        func mayIntrospect(tokenOf subject: String?) -> Bool {
            switch self {
            case .client: true
            case .subject(let own): subject?.utf8.elementsEqual(own.utf8) ?? false
            }
        }
    }

    let tokens: OwnTokens
    let clients: ClientAuthentication

    func respond(to request: EndpointRequest) async throws(OAuthError) -> EndpointResult {
        let form = try OAuthForm.read(request)
        let caller = try await caller(request, form)
        guard let token = form["token"] else { throw .invalidRequest("token is missing") }
        let pragma = EndpointResponse.Field("Pragma", "no-cache")
        return .response(.json(try await introspect(token, for: caller, at: request.now), fields: [pragma]))
    }

    private func caller(_ request: EndpointRequest, _ form: FormFields) async throws(OAuthError) -> Caller {
        let authorization = request.fields.authorization
        if let token = authorization.flatMap(AuthorizationField.accessToken) {
            guard let subject = try await tokens.access(token, of: request)?.subject else {
                throw .invalidToken("the access token is invalid", realm: clients.realm)
            }
            return .subject(subject)
        }
        guard try await !clients.authenticate(request, form).isPublic else {
            throw .invalidClient("introspection needs a client with a secret or keys", realm: clients.realm)
        }
        return .client
    }

    /// Anything but a valid token of this issuer is inactive, without further details (section 2.2).
    private func introspect(
        _ token: String,
        for caller: Caller,
        at now: UnixTime
    ) async throws(OAuthError) -> JSONObject {
        if let principal = try await tokens.access(token, at: now) {
            return caller.mayIntrospect(tokenOf: principal.subject) ? Self.active(principal) : Self.inactive
        }
        guard let refresh = try await tokens.refresh(token, at: now), refresh.status != .spent,
            caller.mayIntrospect(tokenOf: refresh.session.subject), await !tokens.isRevoked(refresh.session)
        else { return Self.inactive }
        return active(refresh.session)
    }

    private static let inactive: JSONObject = ["active": false]

    private static func active(_ principal: Principal) -> JSONObject {
        let needsProof = Confirmation(principal.claims)?.keyThumbprint != nil
        // RFC 9449 section 6.2, RFC 8705 section 3.2: the resource server has to check the binding.
        var object: JSONObject = ["active": true, "token_type": needsProof ? "DPoP" : "Bearer"]
        for name in ["scope", "client_id", "exp", "iat", "sub", "aud", "iss", "jti", "sid", "cnf"] {
            object[name] = principal.claims[name]
        }
        return object
    }

    private func active(_ session: IssuerSession) -> JSONObject {
        var object: JSONObject = [
            "active": true,
            "exp": .number(JSONNumber(Int(session.expiresAt.seconds))),
            "iat": .number(JSONNumber(Int(session.createdAt.seconds))),
            "sub": .string(session.subject),
            "sid": .string(session.id),
        ]
        if let issuer = tokens.context.tenant.issuer { object["iss"] = .string(issuer.url) }
        if let clientID = session.clientID { object["client_id"] = .string(clientID) }
        if let confirmation = session.confirmation { object["cnf"] = .object(confirmation.claim) }
        return object
    }
}
