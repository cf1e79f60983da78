import Logging
import Store
import Synchronization
import TestSupport
import Testing
import Time
import Verification

@testable import AccountDeletion
@testable import IdentityProvider
@testable import Tenants
@testable import TokenSigning

/// Apple, Google and the tenant's backend, which respond as configured and record what they are asked.
final class DeletionSides: ProviderRequests, BackendCalls {
    struct BackendRequest: Sendable {
        let method: String
        let target: String
        let fields: [EndpointResponse.Field]
    }

    typealias Outcome = Result<ProviderResponse, ProviderRequestFailure>

    private struct State {
        var outcomes: [String: Outcome] = [:]
        var requests: [ProviderRequest] = []
        var backend: Result<Int, ProviderRequestFailure> = .success(204)
        /// By the target's beginning.
        var backends: [String: Int] = [:]
        var calls: [BackendRequest] = []
        var gates: [String: Mailbox<Void>] = [:]
        var whilePaused: (@Sendable () async -> Void)?
    }

    private let state = Mutex(State())
    /// The addresses that were asked, in order.
    let requested = Awaited<[String]>([])

    /// - Parameter url: Without the query.
    func respond(_ outcome: Outcome, at url: String) { state.withLock { $0.outcomes[url] = outcome } }

    /// Holds the responses at an address back.
    func hold(_ url: String, until gate: Mailbox<Void>) { state.withLock { $0.gates[url] = gate } }

    /// What happens whenever the gateway waits.
    func whilePaused(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.whilePaused = body } }

    func pause() async { await state.withLock { $0.whilePaused }?() }

    func respondAsBackend(_ result: Result<Int, ProviderRequestFailure>) { state.withLock { $0.backend = result } }

    /// - Parameter prefix: Of the targets that this status is for.
    func respondAsBackend(_ status: Int, below prefix: String) { state.withLock { $0.backends[prefix] = status } }

    var calls: [BackendRequest] { state.withLock { $0.calls } }

    /// The forms sent to an address.
    func forms(to url: String) throws -> [FormFields] {
        try state.withLock { $0.requests }.filter { $0.url == url }.map { try FormFields($0.body) }
    }

    func send(_ request: ProviderRequest) async throws(ProviderRequestFailure) -> ProviderResponse {
        let (outcome, gate) = state.withLock { state in
            state.requests.append(request)
            return (state.outcomes[request.url], state.gates[request.url])
        }
        requested.update { $0.append(request.url) }
        _ = try? await gate?.next()
        return try (outcome ?? .failure(.unreachable)).get()
    }

    func send(
        _ method: String,
        _ target: String,
        _ fields: [EndpointResponse.Field]
    ) async throws(ProviderRequestFailure) -> Int {
        let result = state.withLock { state in
            state.calls.append(BackendRequest(method: method, target: target, fields: fields))
            return state.backends.first { target.hasPrefix($0.key) }.map { .success($0.value) } ?? state.backend
        }
        return try result.get()
    }
}

/// A tenant whose people delete their accounts, on one instance.
struct DeletionFixture {
    static let start = ExchangeFixture.start
    static let appleToken = "https://appleid.apple.com/auth/token"
    static let appleRevoke = "https://appleid.apple.com/auth/revoke"
    static let googleRevoke = "https://oauth2.googleapis.com/revoke"
    static let receiptPath = "/api/account/receipt"
    private static let sealingKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

    let tenant: Tenant
    let store: any Store
    let sealer: Sealer
    let accounts: AccountRepository
    let sessions: SessionService
    let revocations: FakeRevocations
    let sides = DeletionSides()
    let log = RecordedLog()
    let counts = DeletionCounts()
    let deletions: DeletionService
    let keeper: ProviderGrantKeeper
    private let clock: MovedClock
    private let service: EndpointService
    let checks = FakeChecks()
    let exchange: ExchangeEndpoints

    /// - Parameter others: Further tenants of its realm, whose backends are told below `/NAME`.
    init(store: any Store = MemoryStore.still, others: [String] = []) throws {
        var signIn = SignIn.issuing
        signIn.accountPage = try PathPattern("/account")
        signIn.apple?.clientIDs = SignedByProviders.apps
        let pem = try #require(try SigningKey.generate(.p256).privateKeyPEM)
        signIn.apple?.web = AppleSignIn.Web(
            clientID: "org.example.web",
            teamID: "TEAM123456",
            keyID: "KEY1234567",
            privateKey: Secret(pem)
        )
        signIn.google?.web = GoogleSignIn.Web(clientID: "shop-web", clientSecret: Secret("a secret"))
        signIn.deletion = AccountDeletionRules(
            method: "DELETE",
            path: try PathPattern("/api/account"),
            call: AccountDeletionRules.Call(method: "DELETE", path: "/internal/users/{subject}")
        )
        let tenant = try Tenant.chat(signIn)
        let clock = MovedClock(Self.start)
        let now: @Sendable () -> UnixTime = { clock.value }
        let revocations = FakeRevocations(store)
        let issuer = try #require(tenant.issuer)
        let keys = TestKeys.directoryKeys(issuer.algorithm, try TestKeys.files())
        let sessions = SessionService(
            IssuerRules(issuer, tenant: tenant.name),
            store: store,
            keys: keys,
            revocations: revocations,
            logger: log.logger
        )
        let accounts = AccountRepository(AccountRules(), tenant: tenant.name, store: store, logger: log.logger)
        let sealer = Sealer(try SealingKeys(Self.sealingKey))
        let parts = DeletionParts(
            tenant: tenant,
            realm: [tenant],
            accounts: accounts,
            sessions: [sessions],
            requests: sides,
            backends: (["internal"] + others).map { [sides] name in
                DeletionBackend(
                    tenant: name == "internal" ? tenant.name : name,
                    call: AccountDeletionRules.Call(method: "DELETE", path: "/\(name)/users/{subject}"),
                    calls: sides,
                    proof: HookProof(issuer: issuer.url, keys: keys)
                )
            }
        )
        let deletions = DeletionService(
            [parts],
            store: store,
            sealer: sealer,
            counts: counts,
            logger: log.logger,
            now: now
        )
        let pause: @Sendable (Duration) async -> Void = { [sides] _ in await sides.pause() }
        let keeper = try #require(
            ProviderGrantKeeper(
                tenant,
                store: store,
                sealer: sealer,
                accounts: accounts,
                deletions: deletions,
                tokens: try SignedByProviders(),
                requests: sides,
                logger: log.logger,
                now: now,
                pause: pause
            )
        )
        let context = SignInContext(
            tenant: tenant,
            store: store,
            accounts: accounts,
            keeping: accounts,
            sessions: sessions,
            keys: keys,
            providerTokens: try SignedByProviders(),
            requests: sides,
            revocations: revocations,
            logger: log.logger,
            proofNonces: ProofNonces(),
            limits: AttemptLimits(),
            deletions: deletions,
            grants: keeper,
            accountsMayChange: true
        )
        service = EndpointService(context, realmSessions: [sessions], counts: SignInCounts())
        exchange = ExchangeEndpoints(context, checks: checks, realmSessions: [sessions], counts: SignInCounts())
        (self.tenant, self.store, self.sealer, self.accounts, self.sessions) = (
            tenant, store, sealer, accounts, sessions
        )
        (self.revocations, self.deletions, self.keeper, self.clock) = (revocations, deletions, keeper, clock)
    }

    func pass(_ seconds: Double) { clock.value = clock.value + seconds }

    var now: UnixTime { clock.value }

    func signIn(
        _ identity: ProviderIdentity = AccountFixture.google(),
        client: String? = nil,
        beganInBrowser: Bool = false
    ) async throws -> BrowserSession {
        let account = try await accounts.signIn(identity, givenName: nil, at: now)
        var opening = SessionOpening(
            subject: account.subject,
            claims: account.tokenClaims(nil),
            clientID: client,
            provider: identity.provider.rawValue,
            isProven: true
        )
        opening.beganInBrowser = beganInBrowser
        return BrowserSession(subject: account.subject, tokens: try await sessions.start(opening, at: now))
    }

    func delete(
        _ session: BrowserSession?,
        byCookie: Bool = false,
        origin: String? = nil
    ) async -> EndpointResult {
        let presented = session.map {
            PresentedToken(token: $0.tokens.accessToken, cookie: byCookie ? "ce_access_token" : nil)
        }
        let cookies = byCookie ? (try? session?.field) ?? [] : []
        return await service.respond(
            to: EndpointRequest(
                endpoint: .accountDeletion,
                method: "DELETE",
                path: "/api/account",
                authority: "chat.example",
                fields: EndpointRequest.Fields(cookies: cookies, origin: origin),
                presentedToken: presented,
                id: "r-1",
                now: now
            )
        )
    }

    func receipt(_ id: String?) async -> EndpointResult {
        await service.respond(
            to: EndpointRequest(
                endpoint: .deletionReceipt,
                method: "GET",
                path: Self.receiptPath,
                query: id.map { "id=\($0)" },
                authority: "chat.example",
                now: now
            )
        )
    }

    /// The account page's response to a form.
    func post(
        _ action: AccountAction,
        _ session: BrowserSession,
        token: String? = nil
    ) async throws -> EndpointResult {
        let stored = try #require(try await sessions.session(session.tokens.sessionID, at: now))
        let account = try #require(try await accounts.account(ofSubject: session.subject))
        let visitor = AccountVisitor(session: stored, account: account, cookies: [])
        let form = [("action", action.rawValue), ("token", token ?? visitor.formToken)]
        return await service.respond(
            to: EndpointRequest(
                endpoint: .accountPage,
                method: "POST",
                authority: "chat.example",
                fields: EndpointRequest.Fields(
                    contentType: "application/x-www-form-urlencoded",
                    cookies: try session.field,
                    origin: "https://chat.example",
                    acceptLanguage: "de"
                ),
                body: Array(FormText.text(of: form).utf8),
                now: now
            )
        )
    }

    func grants(_ subject: String) async throws -> [ProviderGrant] {
        let records = ProviderGrantRecords(store, sealer: sealer, realm: nil, tenant: tenant.name)
        return try await records.grants(ofSubject: subject)
    }
}

/// A time that tests move.
final class MovedClock: Sendable {
    private let time: Mutex<UnixTime>

    init(_ time: UnixTime) {
        self.time = Mutex(time)
    }

    var value: UnixTime {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
}

extension EndpointResult {
    /// The states of a receipt's steps.
    var states: [String: String] {
        get throws {
            let steps = try #require(try object["steps"]?.array).compactMap(\.object)
            return Dictionary(
                uniqueKeysWithValues: steps.map { ($0["step"]?.string ?? "", $0["state"]?.string ?? "") }
            )
        }
    }
}
