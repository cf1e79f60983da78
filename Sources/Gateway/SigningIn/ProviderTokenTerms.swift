import IdentityProvider
import Tenants
import Verification

/// The requirements for a kind of token.
struct ProviderTokenTerms {
    /// Seconds by which the providers' clocks and ours may differ.
    static let leeway = 60.0
    /// Apple and Google sign with RS256 alone. Others with any of these: keys decide, and none of them is a secret.
    private static let namedAlgorithms: [SignatureAlgorithm] = [.rs256, .ps256, .es256, .edDSA]

    var issuers: [String]
    /// The accepted audiences; if empty, the tenant accepts no such token.
    var audiences: [String]
    var keys: RemoteKeySource
    var algorithms: [SignatureAlgorithm] = [.rs256]
    var requiredClaims = ["sub", "exp", "iat"]
    /// The provider of several directories, each of which has an issuer of its own; nil: `issuers` are all.
    var directories: OpenIDService?

    /// - Returns: Nil if the tenant accepts no such token.
    init?(_ kind: ProviderTokenKind, _ signIn: SignIn) {
        let provider = kind.provider
        guard let keys = signIn.keys(of: provider) else { return nil }
        self.keys = keys
        issuers = signIn.issuers(of: provider)
        switch kind {
        case .appleIdentity: audiences = signIn.apple?.clientIDs ?? []
        // Apple's events have no `exp`.
        case .appleNotification:
            audiences = (signIn.apple?.clientIDs ?? []) + signIn.browserClients(of: .apple)
            requiredClaims = ["iat", "jti"]
        case .googleIdentity: audiences = signIn.google?.clientIDs ?? []
        case .appleWebIdentity, .googleWebIdentity: audiences = signIn.browserClients(of: provider)
        case .namedWebIdentity(let name), .namedIdentity(let name):
            guard let named = signIn.named(name), case .openID(let service) = named.service else { return nil }
            audiences = kind == .namedWebIdentity(name) ? [named.clientID] : named.exchange?.clientIDs ?? []
            algorithms = Self.namedAlgorithms
            directories = service.isOfSeveralDirectories ? service : nil
        }
    }

    var policy: VerificationPolicy {
        VerificationPolicy(
            issuers: issuers.map {
                IssuerPolicy(issuer: $0, audiences: audiences, algorithms: algorithms, keys: nil)
            },
            leeway: Self.leeway,
            requiredClaims: requiredClaims
        )
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
