import Authorization
import IdentityProvider
import SharedState
import Tenants
import Time
import Upstream
import Verification

/// Verifies the tokens of Apple and Google for sign-in, each by the policy of its kind. Off the loops, with its own
/// verifiers, because OpenSSL contexts are not shared.
actor ProviderVerifiers {
    private struct Key: Hashable {
        let tenant: TenantIndex
        let kind: ProviderTokenKind
    }

    private struct Entry {
        let verifier: TokenVerifier
        let issuers: Int
        let source: RemoteKeySource

        func use(_ keys: KeySet?) {
            for issuer in 0..<issuers { verifier.use(keys, ofIssuer: issuer) }
        }
    }

    private typealias Terms = [Key: Entry]

    /// Seconds by which the providers' clocks and ours may differ.
    private static let leeway = 60.0

    private var terms: Terms
    private var revisions: [UInt64]
    private var knownKeys: [RemoteKeySource: KeySet] = [:]

    init(_ snapshot: ConfigurationSnapshot) {
        terms = Self.terms(snapshot.tenants, snapshot.tenants.tenantIndices)
        revisions = snapshot.revisions
    }

    /// Replaces the tenants whose tokens are verified, where they have changed.
    func adopt(_ snapshot: ConfigurationSnapshot) {
        let changed = snapshot.tenants.tenantIndices.filter { index in
            index.value >= revisions.count || revisions[index] != snapshot.revisions[index]
        }
        revisions = snapshot.revisions
        for index in changed {
            for kind in ProviderTokenKind.allCases { terms[Key(tenant: index, kind: kind)] = nil }
        }
        for (key, entry) in Self.terms(snapshot.tenants, changed) {
            if let keys = knownKeys[entry.source] { entry.use(keys) }
            terms[key] = entry
        }
    }

    private static func terms(_ tenants: [Tenant], _ indices: [TenantIndex]) -> Terms {
        var entries: [Key: Entry] = [:]
        for index in indices {
            let tenant = tenants[index]
            for kind in ProviderTokenKind.allCases {
                guard let terms = kind.terms(for: tenant), !terms.audiences.isEmpty else { continue }
                let policy = VerificationPolicy(
                    issuers: terms.issuers.map {
                        IssuerPolicy(issuer: $0, audiences: terms.audiences, algorithms: [.rs256], keys: nil)
                    },
                    leeway: Self.leeway,
                    requiredClaims: terms.requiredClaims
                )
                let key = Key(tenant: index, kind: kind)
                let verifier = TokenVerifier(policy)
                entries[key] = Entry(verifier: verifier, issuers: terms.issuers.count, source: terms.keys)
            }
        }
        return entries
    }

    /// The source of the keys for a kind of token; nil if the tenant accepts none.
    func source(of kind: ProviderTokenKind, ofTenant tenant: TenantIndex) -> RemoteKeySource? {
        terms[Key(tenant: tenant, kind: kind)]?.source
    }

    func use(_ keys: KeySet?, from source: RemoteKeySource) {
        knownKeys[source] = keys
        for entry in terms.values where entry.source == source { entry.use(keys) }
    }

    func verify(
        _ token: [UInt8],
        as kind: ProviderTokenKind,
        ofTenant tenant: TenantIndex,
        at now: UnixTime
    ) -> Result<Principal, VerificationFailure> {
        guard let entry = terms[Key(tenant: tenant, kind: kind)] else { return .failure(.keysNotLoaded) }
        do throws(VerificationFailure) {
            return .success(try entry.verifier.verify(token, at: now))
        } catch {
            return .failure(error)
        }
    }
}

/// The requirements for a kind of token.
private struct ProviderTokenTerms {
    var issuers: [String]
    /// The accepted audiences; if empty, the tenant accepts no such token.
    var audiences: [String]
    var keys: RemoteKeySource
    var requiredClaims = ["sub", "exp", "iat"]

    init(_ addresses: BrowserAddresses, audiences: [String]) {
        issuers = addresses.issuers
        keys = addresses.keys
        self.audiences = audiences
    }
}

extension ProviderTokenKind {
    /// - Returns: Nil if the tenant accepts no such token.
    fileprivate func terms(for tenant: Tenant) -> ProviderTokenTerms? {
        guard let signIn = tenant.signIn else { return nil }
        var terms = ProviderTokenTerms(signIn.browserAddresses(of: provider), audiences: audiences(signIn))
        // Apple's events have no `exp`.
        if self == .appleNotification { terms.requiredClaims = ["iat", "jti"] }
        return terms
    }

    private func audiences(_ signIn: SignIn) -> [String] {
        switch self {
        case .appleIdentity: signIn.apple?.clientIDs ?? []
        case .appleNotification: (signIn.apple?.clientIDs ?? []) + signIn.browserClients(of: .apple)
        case .googleIdentity: signIn.google?.clientIDs ?? []
        case .appleWebIdentity, .googleWebIdentity: signIn.browserClients(of: provider)
        }
    }
}

extension SignIn {
    /// The clients for browser sign-in.
    fileprivate func browserClients(of provider: Provider) -> [String] {
        let page = provider == .apple ? apple?.web?.clientID : google?.web?.clientID
        let own = web?.provider == provider ? web?.clientID : nil
        return [page, own].compactMap { $0 }
    }
}

/// Verifies the tokens of one tenant's providers, with keys that are fetched if missing.
struct TenantProviderTokens: ProviderTokens {
    /// How often to wait for keys, at most five seconds each.
    private static let mostFetches = 2

    let tenant: TenantIndex
    let verifiers: ProviderVerifiers
    let fetchKeys: @Sendable (RemoteKeySource, KeySetReason) async -> KeySetResult

    func verify(
        _ token: String,
        as kind: ProviderTokenKind,
        at now: UnixTime
    ) async -> Result<Principal, ProviderTokenProblem> {
        guard let source = await verifiers.source(of: kind, ofTenant: tenant) else { return .failure(.keysUnavailable) }
        let bytes = Array(token.utf8)
        var fetchesLeft = Self.mostFetches
        while true {
            let failure: VerificationFailure
            switch await verifiers.verify(bytes, as: kind, ofTenant: tenant, at: now) {
            case .success(let principal): return .success(principal)
            case .failure(let refused): failure = refused
            }
            let isMissing = failure.reason == .keysNotLoaded
            // Only a failure that newer keys may fix names its issuer.
            guard isMissing || failure.issuerIndex != nil else { return .failure(.refused(failure)) }
            guard fetchesLeft > 0 else { return .failure(isMissing ? .keysUnavailable : .refused(failure)) }
            fetchesLeft -= 1
            switch await fetchKeys(source, isMissing ? .missing : .unknownKey) {
            case .decideAgain: continue
            // The first fetch may take longer than one wait; waiting is better than failing the sign-in.
            case .unavailable where isMissing: continue
            case .unavailable, .nothingNew: fetchesLeft = 0
            }
        }
    }
}
