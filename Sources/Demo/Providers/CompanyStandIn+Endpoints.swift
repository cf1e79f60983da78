import HTTPTypes
import Hummingbird
import NIOCore
import Verification

extension CompanyStandIn: StandInEndpoints {
    func count(_ endpoint: CompanyEndpoint) -> ProviderFailure? {
        state.withLock { state in
            state.calls[endpoint, default: 0] += 1
            return state.failures[endpoint]
        }
    }

    func makeRouter() -> Router<StandInContext> {
        let router = Router(context: StandInContext.self)
        add(.metadata, .get, "/company/.well-known/openid-configuration", to: router) { standIn, _ in
            .json(.object(standIn.state.withLock(\.metadata)))
        }
        add(.keys, .get, "/company/keys", to: router) { standIn, _ in .json(standIn.state.withLock(\.keySet)) }
        add(.authorize, .get, "/company/authorize", to: router) { try $0.authorize($1, isOpenID: true) }
        add(.token, .post, "/company/token", to: router) { try $0.tokens($1, try await Self.form($1)) }
        add(.userInfo, .get, "/company/userinfo", to: router) { try $0.userInfo($1) }
        add(.codeAuthorize, .get, "/code/authorize", to: router) { try $0.authorize($1, isOpenID: false) }
        add(.codeToken, .post, "/code/token", to: router) { try $0.codeTokens($1, try await Self.form($1)) }
        add(.codeUser, .get, "/code/user", to: router) { try $0.codeUser($1) }
        add(.codeEmails, .get, "/code/user/emails", to: router) { try $0.codeEmails($1) }
        return router
    }

    // MARK: Signing in

    /// The response that a signed-in user's browser brings back from an authorization URL, without a browser.
    public func redirect(for authorizationURL: String, cancelling: Bool = false) throws -> ProviderRedirect {
        let parts = authorizationURL.split(separator: "?", maxSplits: 1)
        let isOpenID = authorizationURL.hasPrefix("\(issuer)/authorize?")
        return try redirect(FormParameters(parts.dropFirst().first ?? ""), isOpenID: isOpenID, cancelling: cancelling)
    }

    private func authorize(_ request: Request, isOpenID: Bool) throws -> Response {
        let parameters = try FormParameters(request.uri.query ?? "")
        let consent = try redirect(parameters, isOpenID: isOpenID, cancelling: false)
        return HTMLPage.response(
            .ok,
            title: "Sign in with \(isOpenID ? "the company" : "the code host") (stand-in)",
            content: """
                <p>This is no real account: a local stand-in answers.</p>
                <p><a class="primary" href="\(HTMLPage.escaped(consent.location))">Continue as \
                \(HTMLPage.escaped(state.withLock(\.user.name)))</a></p>
                """
        )
    }

    private func redirect(
        _ parameters: FormParameters,
        isOpenID: Bool,
        cancelling: Bool
    ) throws(StandInRefusal) -> ProviderRedirect {
        guard try parameters.require("client_id") == Self.clientID else { throw .request("client_id is unknown") }
        guard try parameters.require("response_type") == "code" else { throw .request("response_type is not code") }
        guard try parameters.require("code_challenge_method") == "S256" else { throw .request("PKCE is not S256") }
        let redirectURI = try parameters.require("redirect_uri")
        let allowed = RedirectTarget.local + [RedirectTarget(host: .oneLabelBelow("localtest"), path: nil)]
        guard allowed.contains(where: { $0.allows(redirectURI) }) else { throw .request("redirect_uri is unknown") }
        let scopes = (parameters["scope"] ?? "").split(separator: " ").map(String.init)
        guard !isOpenID || scopes.contains("openid") else { throw .request("scope lacks openid") }
        let state = try parameters.require("state")
        let challenge = try parameters.require("code_challenge")
        let name = RandomText.make(bytes: 32)
        return self.state.withLock { current in
            var fields: JSONObject = ["state": .string(state)]
            if cancelling {
                fields["error"] = "access_denied"
            } else {
                fields["code"] = .string(name)
                let code = CompanyState.Code(
                    redirectURI: redirectURI,
                    challenge: challenge,
                    scopes: scopes,
                    nonce: parameters["nonce"],
                    user: current.user,
                    isOpenID: isOpenID
                )
                current.codes.insert(code, for: name)
            }
            if isOpenID { fields["iss"] = .string(current.issuer) }
            let given = current.edited(fields, .redirect).members.map { ($0.name, $0.value.string ?? "") }
            return ProviderRedirect(isPost: false, url: redirectURI, fields: given)
        }
    }

    // MARK: Tokens

    private func tokens(_ request: Request, _ parameters: FormParameters) throws -> Response {
        try checkClient(request, parameters, allowsBasic: true)
        return try state.withLock { state in
            let code = try state.redeem(parameters, isOpenID: true)
            let accessToken = state.accessToken(for: code)
            var claims = state.claims(audience: Self.clientID, nonce: code.nonce, at: now())
            if claims["at_hash"] == nil {
                claims["at_hash"] = AccessTokenHash.value(of: accessToken, algorithm: state.algorithm.rawValue)
                    .map(JSONValue.string)
            }
            let tokens: JSONObject = [
                "access_token": .string(accessToken), "token_type": "Bearer", "expires_in": 3600,
                "id_token": .string(try state.sign(claims)),
            ]
            return .json(.object(state.edited(tokens, .tokens)))
        }
    }

    private func userInfo(_ request: Request) throws -> Response {
        let code = try code(request)
        return state.withLock { state in
            let info: JSONObject = [
                "sub": .string(code.user.subject), "email": .string(code.user.email),
                "email_verified": code.user.emailVerified, "groups": ["staff"],
            ]
            return .json(.object(state.edited(info, .userInfo)))
        }
    }

    /// As GitHub does it: errors have the status 200.
    private func codeTokens(_ request: Request, _ parameters: FormParameters) throws -> Response {
        try checkClient(request, parameters, allowsBasic: false)
        return state.withLock { state in
            guard let code = try? state.redeem(parameters, isOpenID: false) else {
                return .json(["error": "bad_verification_code", "error_description": "The code is incorrect."])
            }
            let tokens: JSONObject = [
                "access_token": .string(state.accessToken(for: code)), "token_type": "bearer",
                "scope": .string(code.scopes.joined(separator: ",")),
            ]
            return .json(.object(state.edited(tokens, .codeTokens)))
        }
    }

    private func codeUser(_ request: Request) throws -> Response {
        let code = try code(request)
        return state.withLock { state in
            let user: JSONObject = ["id": 583_231, "login": "alice", "name": .string(code.user.name), "email": .null]
            return .json(.object(state.edited(user, .codeUser)))
        }
    }

    private func codeEmails(_ request: Request) throws -> Response {
        let code = try code(request)
        let emails: [JSONObject] = [
            ["email": "old@company.example", "primary": false, "verified": true],
            ["email": .string(code.user.email), "primary": true, "verified": code.user.emailVerified],
        ]
        return state.withLock { state in .json(.array(emails.map { .object(state.edited($0, .codeEmail)) })) }
    }

    private func code(_ request: Request) throws(StandInRefusal) -> CompanyState.Code {
        guard request.headers[.userAgent] != nil else { throw .request("User-Agent is missing") }
        guard let token = request.bearerToken, let code = state.withLock({ $0.accessTokens[token] }) else {
            throw StandInRefusal(status: 401, error: "invalid_token", reason: "the access token is unknown")
        }
        return code
    }

    private func checkClient(
        _ request: Request,
        _ parameters: FormParameters,
        allowsBasic: Bool
    ) throws(StandInRefusal) {
        let expected = "\(Self.clientID):\(Self.clientSecret)"
        let posted = "\(parameters["client_id"] ?? ""):\(parameters["client_secret"] ?? "")"
        let basic = request.headers[.authorization].flatMap { field in
            field.hasPrefix("Basic ") ? Array(field.dropFirst(6).utf8) : nil
        }
        let isBasic = basic.map { $0 == Self.base64(expected) } ?? false
        guard allowsBasic && isBasic || basic == nil && posted == expected else {
            throw StandInRefusal(status: 401, error: "invalid_client", reason: "the client is unknown")
        }
    }

    private static func base64(_ text: String) -> [UInt8] {
        var bytes = Array(Base64URL.encode(Array(text.utf8)).utf8).map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while bytes.count % 4 != 0 { bytes.append(UInt8(ascii: "=")) }
        return bytes
    }
}
