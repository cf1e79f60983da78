import Store
import TestSupport
import Testing
import Time
import Verification

@testable import IdentityProvider
@testable import Tenants
@testable import TokenSigning

/// A tenant's issuer with its store, keys, sessions, codes and endpoints.
struct IssuerFixture {
    /// When tests begin.
    static let start = UnixTime(1_800_000_000.25)
    /// Of RFC 7636 appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    let tenant: Tenant
    let store: WatchedStore
    let accounts = FakeAccounts()
    let log = RecordedLog()
    let keys: ConfiguredKeys
    let sessions: SessionService
    let codes: AuthorizationCodes
    let limits = AttemptLimits()
    let context: SignInContext
    let endpoints: IssuerEndpoints

    /// - Parameters:
    ///   - name: The tenant's; several may share a store.
    ///   - proof: The tenant's `dpop`.
    ///   - files: Where the private keys are; nil: the two of all tests.
    init(
        _ name: String = "clans",
        _ store: WatchedStore = WatchedStore(),
        issuer: BuiltInIssuer? = nil,
        hosts: [HostPattern]? = nil,
        proof: ProofRules? = nil,
        keys files: (any FileReading)? = nil,
        clientKeys: any ClientKeySets = NoClientKeys()
    ) throws {
        let issuer = issuer ?? .clans(name)
        let rules = IssuerRules(issuer, tenant: name)
        let files = try files ?? TestKeys.files()
        keys = ConfiguredKeys(
            algorithm: issuer.algorithm,
            source: SigningKeyDirectory(path: TestKeys.directory, algorithm: issuer.algorithm, files: files)
        )
        tenant = Tenant(
            TenantSettings(
                name: name,
                hosts: hosts ?? [.exact("\(name).example")],
                backends: [Backend(servers: [])],
                authenticate: Authentication(policy: VerificationPolicy(issuers: [])),
                issuer: issuer,
                proof: proof
            )
        )
        self.store = store
        let revocations = StoredRevocations(store: store)
        sessions = SessionService(rules, store: store, keys: keys, revocations: revocations, logger: log.logger)
        codes = AuthorizationCodes(store: store, tenant: name)
        context = SignInContext(
            tenant: tenant,
            store: store,
            accounts: accounts,
            sessions: sessions,
            keys: keys,
            providerTokens: NoProviders(),
            requests: NoProviders(),
            revocations: revocations,
            logger: log.logger,
            proofNonces: ProofNonces(),
            limits: limits,
            clientKeys: clientKeys
        )
        let endpoints = IssuerEndpoints(context, codes: codes, verifier: OwnTokenVerifier(rules, keys: keys, leeway: 0))
        self.endpoints = try #require(endpoints)
        accounts.put(.alice)
    }
}

extension BuiltInIssuer {
    static func clans(
        _ name: String = "clans",
        algorithm: SignatureAlgorithm = .es256,
        clients: [IssuerClient] = [.mobile, .board, .service, .tablet]
    ) -> BuiltInIssuer {
        BuiltInIssuer(
            url: "https://\(name).example",
            audience: "\(name)-api",
            algorithm: algorithm,
            access: .seconds(1800),
            basePath: "/id",
            clients: clients
        )
    }
}

extension IssuerClient {
    /// An app on a telephone.
    static let mobile = IssuerClient(
        id: "mobile",
        redirectURIs: ["clanboards://oauthredirect"],
        postLogoutRedirectURIs: ["clanboards://signed-out"],
        scopes: ["openid", "email", "profile"]
    )
    /// Another app.
    static let tablet = IssuerClient(id: "tablet", redirectURIs: ["clanboards://oauthredirect"])
    /// A server.
    static let board = IssuerClient(
        id: "board",
        secret: Secret("kzI+ABc/09=="),
        redirectURIs: ["https://board.example/back"],
        postLogoutRedirectURIs: ["https://board.example/bye?from=id", "https://board.example/bye"],
        scopes: ["openid", "email", "stats"]
    )
    /// A server whose name and secret have to be encoded.
    static let service = IssuerClient(
        id: "the service:1",
        secret: Secret("100% of a+b&c=d: é"),
        redirectURIs: ["https://service.example/back"]
    )
}

extension Account {
    static let alice = Account(
        subject: "alice",
        role: "member",
        email: "alice@example.org",
        isEmailVerified: true,
        name: "Alice",
        claims: ["clan": "north"],
        createdAt: 1
    )
}

/// Providers that are unreachable.
struct NoProviders: ProviderTokens, ProviderRequests {
    func verify(
        _ token: String,
        as kind: ProviderTokenKind,
        at now: UnixTime
    ) async -> Result<Principal, ProviderTokenProblem> {
        .failure(.keysUnavailable)
    }

    func send(_ request: ProviderRequest) async throws(ProviderRequestFailure) -> ProviderResponse {
        throw .unreachable
    }
}
