import Store
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants

/// A tenant with browser sign-in.
struct BrowserSignInFixture {
    /// When tests begin.
    static let start = SessionFixture.start
    /// Of RFC 7636 appendix B.
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let host = "chat.example"

    let store: WatchedStore
    let accounts = FakeAccounts()
    let apple = ScriptedBrowserProvider(.apple)
    let google = ScriptedBrowserProvider(.google)
    let web: ScriptedBrowserProvider
    let log = RecordedLog()
    let limits = AttemptLimits()
    let counts = SignInCounts()
    let service: SessionFixture
    let codes: AuthorizationCodes
    let endpoints: BrowserEndpoints

    init(
        page: SignInPage = SignInPage(name: "Chat", color: "#0a7d5a"),
        name: String = "chat",
        web webProvider: SignIn.Provider = .google,
        store: WatchedStore = WatchedStore(),
        clients: [IssuerClient] = Self.clients,
        proof: ProofRules? = nil,
        cookieRules: CookieRules = CookieRules(),
        after: String = "https://app.chat.example/home",
        accountPage: String? = nil,
        singleSignOn: SingleSignOnRule = .within(.seconds(43_200)),
        revocations: (any RevocationChecks)? = nil
    ) throws {
        var tenant = try Self.tenant(name, page, webProvider, clients, cookieRules, after: after)
        tenant.signIn?.accountPage = try accountPage.map { try PathPattern($0) }
        tenant.proof = proof
        tenant.issuer?.singleSignOn = singleSignOn
        self.store = store
        web = ScriptedBrowserProvider(webProvider)
        service = try SessionFixture(.chat, store)
        codes = AuthorizationCodes(store: store, tenant: name)
        let context = SignInContext(
            tenant: tenant,
            store: store,
            accounts: accounts,
            sessions: service.sessions,
            keys: nil,
            providerTokens: NoProviders(),
            requests: NoProviders(),
            revocations: revocations ?? UnaskedParts(),
            logger: log.logger,
            proofNonces: ProofNonces(),
            limits: limits
        )
        endpoints = BrowserEndpoints(context, page: [apple, google], web: [web], codes: codes, counts: counts)
    }

    static let clients = [
        IssuerClient(
            id: "mobile",
            redirectURIs: ["clanboards://oauthredirect"],
            scopes: ["openid", "email", "profile"]
        ),
        IssuerClient(
            id: "board",
            secret: Secret("board's secret"),
            redirectURIs: ["https://board.example/back?from=chat", "https://board.example/back"],
            scopes: ["openid"]
        ),
        IssuerClient(id: "odd", redirectURIs: ["javascript:alert(1)//", "https://odd.example/#part"]),
    ]

    private static func tenant(
        _ name: String,
        _ page: SignInPage,
        _ webProvider: SignIn.Provider,
        _ clients: [IssuerClient],
        _ cookieRules: CookieRules,
        after: String
    ) throws -> Tenant {
        Tenant(
            TenantSettings(
                name: name,
                hosts: [.exact(host)],
                backends: [Backend(servers: [])],
                authenticate: Authentication(policy: VerificationPolicy(issuers: [])),
                refresh: nil,
                issuer: BuiltInIssuer(
                    url: "https://chat.example",
                    audience: "chat-api",
                    algorithm: .es256,
                    basePath: "/id",
                    clients: clients,
                    page: page
                ),
                signIn: SignIn(
                    web: WebSignIn(
                        login: try PathPattern("/login"),
                        callback: try PathPattern("/login/callback"),
                        provider: webProvider,
                        clientID: "chat-web",
                        after: after,
                        accessCookie: "chat_access",
                        refreshCookie: "chat_refresh",
                        cookieRules: cookieRules
                    )
                )
            )
        )
    }
}

extension BrowserSignInFixture {
    /// Valid parameters.
    static let good: [(name: String, value: String)] = [
        ("client_id", "mobile"), ("redirect_uri", "clanboards://oauthredirect"), ("response_type", "code"),
        ("scope", "openid email"), ("state", "of the app"), ("nonce", "n-1"), ("code_challenge", challenge),
        ("code_challenge_method", "S256"),
    ]

    /// Valid parameters with changes; nil removes one.
    static func parameters(_ changes: KeyValuePairs<String, String?> = [:]) -> [(name: String, value: String)] {
        var parameters = good
        for (name, value) in changes {
            parameters.removeAll { $0.name == name }
            if let value { parameters.append((name, value)) }
        }
        return parameters
    }

    func request(
        _ endpoint: Endpoint,
        by method: String = "GET",
        _ parameters: [(name: String, value: String)],
        cookies: [String] = [],
        isSecure: Bool = true,
        at now: UnixTime = start
    ) -> EndpointRequest {
        let text = FormText.text(of: parameters)
        let isPost = method == "POST"
        return EndpointRequest(
            endpoint: endpoint,
            method: method,
            path: Self.path(of: endpoint),
            query: isPost ? nil : text,
            isSecure: isSecure,
            authority: Self.host,
            fields: EndpointRequest.Fields(
                contentType: isPost ? "application/x-www-form-urlencoded" : nil,
                cookies: cookies,
                userAgent: "Telephone 1"
            ),
            body: isPost ? Array(text.utf8) : [],
            id: "request-1",
            now: now
        )
    }

    private static func path(of endpoint: Endpoint) -> String {
        switch endpoint {
        case .webCallback: "/login/callback"
        case .appleCallback: "/id/oauth2/callback/apple"
        case .googleCallback: "/id/oauth2/callback/google"
        default: "/"
        }
    }

    func response(_ request: EndpointRequest) async throws -> EndpointResponse {
        guard case .response(let response) = await endpoints.respond(to: request) else {
            throw Unexpected(what: "no response")
        }
        return response
    }

    func authorize(_ parameters: [(name: String, value: String)] = good) async throws -> EndpointResponse {
        try await response(request(.authorize, parameters))
    }
}

struct Unexpected: Error {
    let what: String
}

/// A browser that has begun a sign-in, and signed in at a provider.
struct BrowserVisit {
    let fixture: BrowserSignInFixture
    let provider: ScriptedBrowserProvider
    /// `Cookie` fields.
    let cookies: [String]
    let code: String
    let requested: ScriptedBrowserProvider.Requested

    /// Begins at the page, and signs in at the provider.
    init(
        _ fixture: BrowserSignInFixture,
        _ name: SignIn.Provider = .google,
        _ parameters: [(name: String, value: String)] = BrowserSignInFixture.good
    ) async throws {
        let page = try await fixture.authorize(parameters)
        let link = try #require(PageReading(page).links.first { $0.contains("\(name.rawValue).example") })
        try self.init(fixture, name == .apple ? fixture.apple : fixture.google, page, link)
    }

    /// Begins at the tenant's own sign-in.
    init(
        web fixture: BrowserSignInFixture,
        after: String? = nil,
        at host: String = BrowserSignInFixture.host
    ) async throws {
        var request = fixture.request(.webLogin, after.map { [("after", $0)] } ?? [])
        request.authority = host
        let login = try await fixture.response(request)
        try self.init(fixture, fixture.web, login, try #require(login.value(of: "Location")))
    }

    private init(
        _ fixture: BrowserSignInFixture,
        _ provider: ScriptedBrowserProvider,
        _ response: EndpointResponse,
        _ url: String
    ) throws {
        self.fixture = fixture
        self.provider = provider
        cookies = response.cookies.map { String($0.prefix { $0 != ";" }) }
        (code, requested) = try provider.signIn(at: url)
    }

    /// The callback request.
    func back(
        _ endpoint: Endpoint,
        by method: String = "GET",
        _ changes: KeyValuePairs<String, String?> = [:],
        cookies: [String]? = nil,
        at now: UnixTime = BrowserSignInFixture.start + 5
    ) -> EndpointRequest {
        var parameters: [(name: String, value: String)] = [("code", code), ("state", requested.state)]
        for (name, value) in changes {
            parameters.removeAll { $0.name == name }
            if let value { parameters.append((name, value)) }
        }
        return fixture.request(endpoint, by: method, parameters, cookies: cookies ?? self.cookies, at: now)
    }
}

extension EndpointResponse {
    func value(of name: String) -> String? { fields.first { $0.name == name }?.value }

    /// `Set-Cookie` values.
    var cookies: [String] { fields.filter { $0.name == "Set-Cookie" }.map(\.value) }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The parameters of the redirect's target.
    var locationFields: FormFields {
        get throws {
            let location = try #require(value(of: "Location"))
            let query = location.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
            return try FormFields(Array(query.utf8))
        }
    }

    /// The `error` in the redirect; nil for none.
    var redirectError: String? {
        get throws { value(of: "Location") == nil ? nil : try locationFields["error"] }
    }
}

/// Not used by browser sign-in.
private struct UnaskedParts: RevocationChecks {
    func isRevoked(_ principal: Principal, tenant: String) async -> Bool { true }

    func isRevoked(_ session: IssuerSession, tenant: String) async -> Bool { true }

    func latestRevocation(ofSubject subject: String, tenant: String) async -> UnixTime? { nil }

    func revoke(_ revocations: [Revocation]) async throws(StoreError) { throw .unavailable("not here") }
}
