import Logging
import Tenants
import Time

/// Browser sign-in with a named provider that has OAuth 2 alone: the code flow with PKCE and state, and user info
/// instead of an ID token. The access token comes from the provider itself over TLS, for this client's code, so that it
/// cannot be another client's.
struct OAuth2BrowserProvider: BrowserProvider {
    private let rules: NamedProvider
    private let service: OAuth2Service
    private let reader: NamedIdentity
    private let exchange: CodeExchange
    private let userInfo: UserInfoRequest

    init(
        _ rules: NamedProvider,
        _ service: OAuth2Service,
        who: SignInAdmission?,
        requests: any ProviderRequests,
        logger: Logger
    ) {
        self.rules = rules
        self.service = service
        reader = NamedIdentity(rules, who: who)
        let provider = SignIn.Provider.named(rules.name)
        exchange = CodeExchange(provider: provider, tokenURL: service.tokenURL, requests: requests, logger: logger)
        userInfo = UserInfoRequest(provider: provider, requests: requests, logger: logger)
    }

    var provider: SignIn.Provider { .named(rules.name) }
    var label: String { rules.label }

    func authorizationURL(
        redirectURI: String,
        state: String,
        nonce: String,
        codeChallenge: String,
        signsInAnew: Bool,
        at now: UnixTime
    ) -> String {
        var fields = [(name: "response_type", value: "code"), (name: "client_id", value: rules.clientID)]
        fields.append((name: "redirect_uri", value: redirectURI))
        if !rules.scopes.isEmpty { fields.append((name: "scope", value: rules.scopes.joined(separator: " "))) }
        fields += [
            (name: "state", value: state), (name: "code_challenge", value: codeChallenge),
            (name: "code_challenge_method", value: "S256"),
        ]
        return FormText.url(service.authorizeURL, adding: fields)
    }

    func identity(
        code: String,
        codeVerifier: String,
        nonce: String,
        redirectURI: String,
        at now: UnixTime
    ) async throws(EndpointRefusal) -> ProviderIdentity {
        let client = ClientCredentials(rules, supported: [NamedProvider.ClientProof.post.rawValue])
        let response = try await exchange.response(
            to: code,
            redirectURI: redirectURI,
            credentials: client.parameters + [("code_verifier", codeVerifier)],
            fields: client.fields + [.userAgent]
        )
        guard let accessToken = response["access_token"]?.string else {
            throw EndpointRefusal(.garbled, of: provider)
        }
        let claims = try await userInfo.object(at: service.userInfoURL, accessToken)
        var listed: ListedEmail?
        if let url = service.emailsURL { listed = try await userInfo.emails(at: url, accessToken) ?? .hidden }
        guard let identity = reader.identity(claims, email: listed) else {
            throw .invalidToken("the user info of \(rules.name) has no subject that can be used")
        }
        return identity
    }
}

extension OAuth2BrowserProvider: CustomStringConvertible, CustomReflectable {
    var description: String { "\(rules.name) in a browser (\(rules.clientID))" }

    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
