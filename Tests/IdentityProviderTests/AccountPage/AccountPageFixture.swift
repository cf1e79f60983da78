import Logging
import Store
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants
@testable import TokenSigning

/// A tenant with an account page and passkeys at `https://shop.test`, and Alice in her browser.
struct AccountPageFixture {
    static let start = ExchangeFixture.start
    static let host = PretendAuthenticator.relyingParty

    let tenant: Tenant
    let store: any Store
    let accounts: AccountRepository
    let sessions: SessionService
    let revocations: FakeRevocations
    let counts = SignInCounts()
    let log = RecordedLog()
    private let service: EndpointService

    init(
        store: any Store = MemoryStore.still,
        relyingParty: String? = PretendAuthenticator.relyingParty,
        rules: AccountRules = AccountRules(),
        hook: AccountHook? = nil
    ) throws {
        var signIn = SignIn.issuing
        signIn.accountPage = try PathPattern("/account")
        signIn.passkeys = relyingParty.map { PasskeyRules(relyingParty: $0, name: "Shop") }
        signIn.google?.web = GoogleSignIn.Web(clientID: "shop-web", clientSecret: Secret("a secret"))
        var tenant = try Tenant.chat(signIn)
        tenant.accounts = rules
        tenant.hosts = [.exact(Self.host)]
        tenant.issuer?.clients = [
            IssuerClient(id: "partner", redirectURIs: ["shop://signed-in"], scopes: ["openid", "email"])
        ]
        self.tenant = tenant
        self.store = store
        revocations = FakeRevocations(store)
        let issuer = try #require(tenant.issuer)
        let keys = TestKeys.directoryKeys(issuer.algorithm, try TestKeys.files())
        let own = IssuerRules(issuer, tenant: tenant.name)
        sessions = SessionService(own, store: store, keys: keys, revocations: revocations, logger: log.logger)
        accounts = AccountRepository(rules, tenant: tenant.name, store: store, hook: hook, logger: log.logger)
        service = EndpointService(
            SignInContext(
                tenant: tenant,
                store: store,
                accounts: accounts,
                keeping: accounts,
                sessions: sessions,
                keys: keys,
                providerTokens: NoProviders(),
                requests: NoProviders(),
                revocations: revocations,
                logger: log.logger,
                proofNonces: ProofNonces(),
                limits: AttemptLimits(),
                accountsMayChange: true
            ),
            realmSessions: [sessions],
            counts: counts
        )
    }

    /// A session in a browser, as a provider's sign-in begins it.
    func signIn(
        _ identity: ProviderIdentity = AccountFixture.google(name: "Alice"),
        device: String? = "Mozilla/5.0 (Windows NT 10.0) Firefox/140.0",
        client: String? = nil,
        authenticatedAt: UnixTime? = nil,
        isProven: Bool = true,
        at now: UnixTime = start
    ) async throws -> BrowserSession {
        let account = try await accounts.signIn(identity, givenName: nil, at: now)
        let opening = SessionOpening(
            subject: account.subject,
            claims: account.tokenClaims(nil),
            clientID: client,
            device: device,
            address: "192.0.2.7",
            provider: identity.provider.rawValue,
            authenticatedAt: authenticatedAt,
            isProven: isProven
        )
        let tokens = try await sessions.start(opening, at: now)
        return BrowserSession(subject: account.subject, tokens: tokens)
    }

    func account(_ session: BrowserSession) async throws -> Account {
        try #require(try await accounts.account(ofSubject: session.subject))
    }

    func respond(to request: EndpointRequest) async -> EndpointResult { await service.respond(to: request) }

    /// The page.
    func page(
        _ session: BrowserSession?,
        query: String? = nil,
        language: String? = nil,
        at now: UnixTime = start
    ) async throws -> EndpointResponse {
        try await asked(session, query: query, language: language, at: now).response
    }

    /// - Parameters:
    ///   - origin: Which a script of another origin has.
    ///   - browser: Changes what the browser says of the request.
    func asked(
        _ session: BrowserSession?,
        query: String? = nil,
        language: String? = nil,
        origin: String? = nil,
        at now: UnixTime = start,
        _ browser: (inout EndpointRequest.Fields) -> Void = { _ in }
    ) async throws -> EndpointResult {
        var request = EndpointRequest(
            endpoint: .accountPage,
            method: "GET",
            query: query,
            authority: Self.host,
            now: now
        )
        request.fields = EndpointRequest.Fields(
            cookies: try session?.field ?? [],
            origin: origin,
            acceptLanguage: language
        )
        browser(&request.fields)
        return await respond(to: request)
    }

    /// Posts a form of the page.
    func post(
        _ action: AccountAction,
        _ session: BrowserSession?,
        _ fields: [(name: String, value: String)] = [],
        token: String? = nil,
        origin: String? = PretendAuthenticator.origin,
        at now: UnixTime = start
    ) async throws -> EndpointResult {
        let all = [("action", action.rawValue), ("token", try await sentToken(token, session, at: now))] + fields
        return await respond(
            to: EndpointRequest(
                endpoint: .accountPage,
                method: "POST",
                authority: Self.host,
                fields: EndpointRequest.Fields(
                    contentType: "application/x-www-form-urlencoded",
                    cookies: try session?.field ?? [],
                    origin: origin
                ),
                body: Array(FormText.text(of: all).utf8),
                now: now
            )
        )
    }

    private func sentToken(_ given: String?, _ session: BrowserSession?, at now: UnixTime) async throws -> String {
        if let given { return given }
        return try await formToken(session, at: now)
    }

    /// The token in the forms of the page; empty if there is none.
    func formToken(_ session: BrowserSession?, at now: UnixTime = start) async throws -> String {
        guard let session else { return "" }
        let inputs = PageReading(try await page(session, at: now)).all("input")
        return inputs.first { $0.attributes["name"] == "token" }?.attributes["value"] ?? ""
    }

    /// The word for what was done, in the URL that a form leads to.
    func notice(
        _ action: AccountAction,
        _ session: BrowserSession?,
        _ fields: [(name: String, value: String)] = [],
        at now: UnixTime = start
    ) async throws -> String? {
        let response = try await post(action, session, fields, at: now).response
        #expect(response.status == 303)
        return response.value(of: "Location")?.split(separator: "=").last.map(String.init)
    }

    func isLive(_ session: BrowserSession) async throws -> Bool {
        try await sessions.session(session.tokens.sessionID, at: Self.start) != nil
    }
}

extension AccountPageFixture {
    private static let verifier = String(repeating: "v", count: 43)

    /// A code that the client `partner` gets of a sign-in with Google.
    func code(of subject: String) async throws -> String {
        let grant = CodeGrant(
            clientID: "partner",
            redirectURI: "shop://signed-in",
            codeChallenge: CodeVerifier.challenge(of: Self.verifier),
            scopes: ["openid"],
            nonce: nil,
            subject: subject,
            provider: "google",
            device: nil,
            address: nil,
            issuedAt: Self.start
        )
        return try await AuthorizationCodes(store: store, tenant: tenant.name).issue(grant, at: Self.start)
    }

    /// The status of the token endpoint.
    func redeem(_ code: String) async throws -> Int {
        let fields = [
            ("grant_type", "authorization_code"), ("code", code), ("client_id", "partner"),
            ("redirect_uri", "shop://signed-in"), ("code_verifier", Self.verifier),
        ]
        let request = EndpointRequest(
            endpoint: .token,
            method: "POST",
            authority: Self.host,
            fields: EndpointRequest.Fields(contentType: "application/x-www-form-urlencoded"),
            body: Array(FormText.text(of: fields).utf8),
            now: Self.start
        )
        return try await respond(to: request).response.status
    }
}

/// A session with its tokens in cookies.
struct BrowserSession {
    let subject: String
    let tokens: IssuedTokens

    /// The `Cookie` field.
    var field: [String] {
        get throws { try ["ce_access_token=\(tokens.accessToken); ce_refresh_token=\(tokens.refresh)"] }
    }
}

// MARK: - Passkeys

extension AccountPageFixture {
    /// Makes a passkey on the page.
    func add(
        _ authenticator: inout PretendAuthenticator,
        _ session: BrowserSession,
        name: String = "Key",
        at now: UnixTime = start
    ) async throws -> EndpointResponse {
        let begun = try await post(.beginPasskey, session, at: now).object
        let challenge = try #require(try begun["options"]?.object?.text("challenge"))
        authenticator.challenge = try #require(Base64URL.decode(challenge))
        return try await post(.addPasskey, session, Self.fields(authenticator, name: name), at: now).response
    }

    /// What the script posts for a new passkey.
    static func fields(_ authenticator: PretendAuthenticator, name: String) -> [(name: String, value: String)] {
        let made = authenticator.registered()
        return [
            ("challenge", Base64URL.encode(authenticator.challenge)), ("name", name),
            ("client_data", Base64URL.encode(made.clientData)),
            ("attestation", Base64URL.encode(made.authenticatorData)),
        ]
    }
}
