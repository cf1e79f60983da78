import Logging
import Store
import Synchronization
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants
@testable import TokenSigning

/// One instance of the gateway with its sign-in endpoints. Instances share `store` and `accounts`.
struct ExchangeFixture {
    /// When tests begin.
    static let start = UnixTime(1_800_000_000.25)

    var tenant: Tenant
    let sessions: SessionService
    let store: any Store
    let accounts: FakeAccounts
    let revocations: FakeRevocations
    let checks: FakeChecks
    let counts = SignInCounts()
    let log = RecordedLog()
    let limits: AttemptLimits
    var hook: AccountHook?

    init(
        _ signIn: SignIn = .issuing,
        store: any Store = MemoryStore.still,
        accounts: FakeAccounts = FakeAccounts(),
        checks: FakeChecks = FakeChecks(),
        trustedOrigins: [String] = [],
        crossSiteMode: Tenant.Mode = .enforce,
        proof: ProofRules? = nil,
        limits: AttemptLimits = AttemptLimits()
    ) throws {
        var tenant = try Tenant.chat(signIn, trustedOrigins: trustedOrigins)
        tenant.crossSite.mode = crossSiteMode
        tenant.proof = proof
        self.tenant = tenant
        self.store = store
        self.accounts = accounts
        self.checks = checks
        self.limits = limits
        revocations = FakeRevocations(store)
        sessions = try Self.sessionService(.chat, store, revocations)
    }

    /// The sessions of another tenant of this instance.
    func sessionService(_ rules: IssuerRules) throws -> SessionService {
        try Self.sessionService(rules, store, revocations)
    }

    private static func sessionService(
        _ rules: IssuerRules,
        _ store: any Store,
        _ revocations: FakeRevocations
    ) throws -> SessionService {
        SessionService(
            rules,
            store: store,
            keys: TestKeys.directoryKeys(rules.algorithm, try TestKeys.files()),
            revocations: revocations,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    func verifier() throws -> TokenVerifier { try IssuerRules.chat.verifier(TestKeys.files()) }

    var context: SignInContext {
        SignInContext(
            tenant: tenant,
            store: store,
            accounts: accounts,
            hook: hook,
            sessions: sessions,
            keys: nil,
            providerTokens: NoProviders(),
            requests: NoProviders(),
            revocations: revocations,
            logger: log.logger,
            proofNonces: ProofNonces(),
            limits: limits
        )
    }

    var exchange: ExchangeEndpoints {
        ExchangeEndpoints(context, checks: checks, realmSessions: [sessions], counts: counts)
    }

    var own: OwnSessionEndpoints {
        OwnSessionEndpoints(context) { (token, now, allowExpired) in
            let bytes = Array(token.utf8)
            do throws(VerificationFailure) {
                guard let verifier = try? verifier() else { return .failure(.storeUnavailable) }
                guard allowExpired else { return .success(try verifier.verify(bytes, at: now)) }
                return .success(try verifier.verifyExpired(bytes.span, at: now, within: 30 * 86_400).principal)
            } catch {
                let code = error.isExpiry ? EndpointRefusal.Code.tokenExpired : .invalidToken
                return .failure(EndpointRefusal(code, status: 401, detail: "no good"))
            }
        }
    }

    /// Posts `body` as an app does.
    func post(
        _ endpoint: Endpoint = .appleExchange,
        _ body: JSONObject,
        path: String = "/",
        at now: UnixTime = start
    ) async -> EndpointResult {
        await exchange.respond(
            to:
                EndpointRequest(
                    endpoint: endpoint,
                    method: "POST",
                    path: path,
                    authority: "chat.localtest",
                    fields: EndpointRequest.Fields(contentType: "application/json", userAgent: "Chat/7 (iPhone)"),
                    body: JSONWriter.bytes(of: body),
                    id: "r-1",
                    now: now
                )
        )
    }
}

extension SignIn {
    static let issuing = signIn(.issue)
    static let forwarding = signIn(.forward)

    static func signIn(_ then: Exchange, legacy: AppleSignIn.LegacyBody = .deny) -> SignIn {
        SignIn(
            apple: path("/api/auth/apple").map {
                AppleSignIn(path: $0, clientIDs: ["com.example.chat"], legacyBody: legacy, then: then)
            },
            google: path("/api/auth/google").map { GoogleSignIn(path: $0, clientIDs: ["chat-ios"], then: then) },
            web: path("/login").flatMap { login in
                path("/callback").map { callback in
                    WebSignIn(
                        login: login,
                        callback: callback,
                        provider: .google,
                        clientID: "chat-web",
                        after: "https://chat.example/home",
                        accessCookie: "ce_access_token",
                        refreshCookie: "ce_refresh_token"
                    )
                }
            }
        )
    }

    private static func path(_ text: String) -> PathPattern? { try? PathPattern(text) }
}

extension Tenant {
    static func chat(_ signIn: SignIn, trustedOrigins: [String] = []) throws -> Tenant {
        let accessToken = try #require(JSONPointer("/access_token"))
        return Tenant(
            TenantSettings(
                name: "chat",
                hosts: [],
                backends: [Backend(servers: [])],
                authenticate: Authentication(
                    from: [.bearer, .cookie(name: "ce_access_token")],
                    policy: VerificationPolicy(issuers: [])
                ),
                refresh: RefreshRules(
                    grace: .seconds(600),
                    source: .cookie(name: "ce_refresh_token"),
                    call: RefreshCall(strategy: .builtIn, target: nil, accessToken: accessToken),
                    delivery: RefreshDelivery()
                ),
                issuer: BuiltInIssuer(
                    url: "https://chat.example",
                    audience: "chat-api",
                    algorithm: .es256,
                    access: .seconds(1800)
                ),
                signIn: signIn,
                crossSite: CrossSiteRules(trustedOrigins: trustedOrigins)
            )
        )
    }
}

// MARK: - Answers

extension EndpointResult {
    /// The JSON of a response.
    var object: JSONObject {
        get throws { try #require(JSONParser.parse(response.body).object) }
    }

    var response: EndpointResponse {
        get throws {
            guard case .response(let response) = self else { throw NoResponse(answer: self) }
            return response
        }
    }

    /// Nil if it was not refused.
    var refusal: EndpointRefusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }

    private struct NoResponse: Error {
        let answer: EndpointResult
    }
}

extension JSONObject {
    /// A required string.
    func text(_ name: String) throws -> String { try #require(self[name]?.string) }
}
