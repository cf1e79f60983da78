import Logging
import Tenants
import Time
import Verification

/// Browser sign-in with a named OpenID provider: the authorization code flow with PKCE, nonce and the provider's
/// metadata.
struct OpenIDBrowserProvider: BrowserProvider {
    private let rules: NamedProvider
    private let service: OpenIDService
    private let reader: NamedIdentity
    private let metadata: OpenIDMetadataSource
    private let tokens: any ProviderTokens
    private let requests: any ProviderRequests
    private let logger: Logger

    init(
        _ rules: NamedProvider,
        _ service: OpenIDService,
        who: SignInAdmission?,
        metadata: OpenIDMetadataSource,
        tokens: any ProviderTokens,
        requests: any ProviderRequests,
        logger: Logger
    ) {
        self.rules = rules
        self.service = service
        reader = NamedIdentity(rules, who: who)
        self.metadata = metadata
        self.tokens = tokens
        self.requests = requests
        self.logger = logger
    }

    var provider: SignIn.Provider { .named(rules.name) }
    var label: String { rules.label }
    var isFoundFirst: Bool { true }
    var takesLoginHint: Bool { true }
    var asksAnew: Bool { true }

    func authorizationURL(
        redirectURI: String,
        state: String,
        nonce: String,
        codeChallenge: String,
        signsInAnew: Bool,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> String {
        FormText.url(
            try await metadata.metadata(at: now).authorizeURL,
            adding: [
                ("response_type", "code"), ("client_id", rules.clientID), ("redirect_uri", redirectURI),
                ("scope", rules.scopes.joined(separator: " ")), ("state", state), ("nonce", nonce),
                ("code_challenge", codeChallenge), ("code_challenge_method", "S256"),
            ] + (signsInAnew ? [("prompt", "login"), ("max_age", "0")] : [])
        )
    }

    /// With `{tenantid}` the directory is known only from the ID token, whose `iss` is checked.
    func accepts(issuer: String?, at now: UnixTime) async throws(EndpointRefusal) -> Bool {
        guard let issuer else { return try await !metadata.metadata(at: now).namesIssuer }
        return issuer.utf8.elementsEqual(service.issuer.utf8) || service.isIssuerOfSomeDirectory(issuer)
    }

    func identity(
        code: String,
        codeVerifier: String,
        nonce: String,
        redirectURI: String,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> ProviderIdentity {
        let metadata = try await metadata.metadata(at: now)
        let client = ClientCredentials(rules, supported: metadata.clientProofs)
        let response = try await CodeExchange(
            provider: provider,
            tokenURL: metadata.tokenURL,
            requests: requests,
            logger: logger
        ).response(
            to: code,
            redirectURI: redirectURI,
            credentials: client.parameters + [("code_verifier", codeVerifier)],
            fields: client.fields + [.userAgent]
        )
        guard let token = response["id_token"]?.string else { throw EndpointRefusal(.garbled, of: provider) }
        let kind = ProviderTokenKind.namedWebIdentity(rules.name)
        let principal = try await tokens.browserPrincipal(token, as: kind, for: rules.clientID, nonce: nonce, at: now)
        let accessToken = response["access_token"]?.string
        try IDTokenChecks.check(token, principal.claims, kind, accessToken: accessToken)
        var claims = principal.claims
        var emailSource = claims
        if reader.isIncomplete(claims), let url = metadata.userInfoURL, let accessToken {
            let info = try await userInfo(of: claims, from: url, accessToken)
            emailSource = reader.emailSource(claims, info)
            for member in info.members where claims[member.name] == nil { claims[member.name] = member.value }
        }
        guard var identity = reader.identity(claims, emailFrom: emailSource) else {
            throw .invalidToken("\(kind.noun) is refused: its subject is missing or malformed")
        }
        identity.signedInAt = ProviderIdentity.signInTime(principal.claims)
        return identity
    }

    /// What user info has beside the ID token. It counts only for the same subject (OpenID Connect Core 1.0 section
    /// 5.3.2).
    private func userInfo(
        of claims: JSONObject,
        from url: String,
        _ accessToken: String
    ) async throws(EndpointRefusal) -> JSONObject {
        let info = try await UserInfoRequest(provider: provider, requests: requests, logger: logger)
            .object(at: url, accessToken)
        guard let subject = claims["sub"]?.string, let other = info["sub"]?.string, PlainText.areEqual(subject, other)
        else { throw .invalidToken("\(rules.name) names two owners of the access token") }
        return info
    }
}

extension OpenIDBrowserProvider: CustomStringConvertible, CustomReflectable {
    var description: String { "\(rules.name) in a browser (\(rules.clientID))" }

    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
