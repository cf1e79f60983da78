import Authorization
import IdentityProvider
import SharedState
import Tenants
import Time
import Upstream
import Verification

/// Verifies the tokens of identity providers for sign-in, each by the policy of its kind. Off the loops, with its own
/// verifiers, because OpenSSL contexts are not shared.
actor ProviderVerifiers {
    private struct Key: Hashable {
        let tenant: TenantIndex
        let kind: ProviderTokenKind
    }

    private struct Entry {
        let terms: ProviderTokenTerms
        let verifier: TokenVerifier

        init(_ terms: ProviderTokenTerms) {
            self.terms = terms
            verifier = TokenVerifier(terms.policy)
        }

        func use(_ keys: KeySet?) {
            for issuer in terms.issuers.indices { verifier.use(keys, ofIssuer: issuer) }
        }
    }

    private var entries: [Key: Entry]
    private var revisions: [UInt64]
    private var knownKeys: [RemoteKeySource: KeySet] = [:]
    /// Those that were read since the start; before, a policy has what the configuration was read with.
    private var fileKeys: [KeyFileSource: KeySet] = [:]

    init(_ snapshot: ConfigurationSnapshot) {
        entries = Self.entries(snapshot.tenants, snapshot.tenants.tenantIndices)
        revisions = snapshot.revisions
    }

    /// Replaces the tenants whose tokens are verified, where they have changed.
    func adopt(_ snapshot: ConfigurationSnapshot) {
        let changed = snapshot.tenants.tenantIndices.filter { index in
            index.value >= revisions.count || revisions[index] != snapshot.revisions[index]
        }
        revisions = snapshot.revisions
        let replaced = Set(changed)
        entries = entries.filter { !replaced.contains($0.key.tenant) }
        for (key, entry) in Self.entries(snapshot.tenants, changed) {
            if let keys = knownKeys[entry.terms.keys] { entry.use(keys) }
            entries[key] = entry
        }
    }

    private static func entries(_ tenants: [Tenant], _ indices: [TenantIndex]) -> [Key: Entry] {
        var entries: [Key: Entry] = [:]
        for index in indices {
            guard let signIn = tenants[index].signIn else { continue }
            for kind in ProviderTokenKind.all(of: signIn) {
                guard let terms = ProviderTokenTerms(kind, signIn), !terms.audiences.isEmpty else { continue }
                entries[Key(tenant: index, kind: kind)] = Entry(terms)
            }
        }
        return entries
    }

    /// The source of the keys for a kind of token; nil if the tenant accepts none.
    func source(of kind: ProviderTokenKind, ofTenant tenant: TenantIndex) -> RemoteKeySource? {
        entries[Key(tenant: tenant, kind: kind)]?.terms.keys
    }

    func use(_ keys: KeySet?, from source: RemoteKeySource) {
        knownKeys[source] = keys
        for entry in entries.values where entry.terms.keys == source { entry.use(keys) }
    }

    func use(_ keys: KeySet, from file: KeyFileSource) { fileKeys[file] = keys }

    /// Verifies a logout token or a security event. The verifier is made for this token alone: they are seldom, and every
    /// tenant has senders.
    ///
    /// - Parameter policy: The sender's for the token's issuer.
    func verify(
        _ token: [UInt8],
        of sender: TrustedSender,
        _ policy: IssuerPolicy,
        as purpose: TokenPurpose,
        at now: UnixTime
    ) -> Result<Principal, VerificationFailure> {
        var policy = policy
        switch sender.source {
        case .remote(let source): policy.keys = knownKeys[source]
        case .file(let source): policy.keys = fileKeys[source] ?? policy.keys
        case .inline, .builtIn: break
        }
        let required = purpose == .logout ? ["iat", "exp", "jti", "events"] : ["iat", "jti", "aud", "events"]
        let verifier = TokenVerifier(
            VerificationPolicy(
                issuers: [policy],
                leeway: ProviderTokenTerms.leeway,
                requiredClaims: required,
                purpose: purpose
            )
        )
        do throws(VerificationFailure) {
            return .success(try verifier.verify(token, at: now))
        } catch {
            return .failure(error)
        }
    }

    func verify(
        _ token: [UInt8],
        as kind: ProviderTokenKind,
        ofTenant tenant: TenantIndex,
        at now: UnixTime
    ) -> Result<Principal, VerificationFailure> {
        guard let entry = entries[Key(tenant: tenant, kind: kind)] else { return .failure(.keysNotLoaded) }
        do throws(VerificationFailure) {
            guard let service = entry.terms.directories else {
                return .success(try entry.verifier.verify(token, at: now))
            }
            return .success(try verifier(of: token, entry.terms, service).verify(token, at: now))
        } catch {
            return .failure(error)
        }
    }

    /// The verifier for the directory that a token names. It is made for this token alone: directories are without
    /// number, and whoever likes can name one.
    private func verifier(
        of token: [UInt8],
        _ terms: ProviderTokenTerms,
        _ service: OpenIDService
    ) throws(VerificationFailure) -> TokenVerifier {
        let directory = try UnverifiedToken(token).claims()["tid"]?.string
        // Without a directory nobody's tokens are good.
        var terms = terms
        terms.issuers = [directory.flatMap(service.issuer(ofDirectory:))].compactMap(\.self)
        let verifier = TokenVerifier(terms.policy)
        for index in terms.issuers.indices { verifier.use(knownKeys[terms.keys], ofIssuer: index) }
        return verifier
    }
}
