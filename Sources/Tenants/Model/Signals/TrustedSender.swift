public import Verification

/// Whose logout tokens and security events a tenant takes, and what they may be about.
public struct TrustedSender: Sendable, Equatable {
    public enum Role: Sendable, Hashable {
        /// One of `authenticate.issuers`: speaks of the subjects and sessions of its own tokens.
        case issuer
        /// A provider of `sign_in`: speaks of those who signed in with it.
        case provider(SignIn.Provider)
        /// An entry of `signals`: speaks of anybody.
        case transmitter
    }

    public var role: Role
    /// Its name, audiences, algorithms and, unless they have to be fetched, keys.
    public var policy: IssuerPolicy
    public var source: KeySource
    /// Where its tokens have subject and session; nil: in `sub` and `sid`.
    public var mapping: ClaimMapping?
    public var bearer: Secret?
    /// The provider of several directories, each of which has an issuer of its own; nil: the policy's is the only one.
    public var directories: OpenIDService?

    init(
        _ role: Role,
        issuer: String,
        audiences: [String],
        algorithms: [SignatureAlgorithm],
        keys: KeySet? = nil,
        source: KeySource
    ) {
        self.role = role
        policy = IssuerPolicy(issuer: issuer, audiences: audiences, algorithms: algorithms, keys: keys)
        self.source = source
    }

    /// What its token with this `iss` must satisfy.
    ///
    /// - Parameter issuer: `iss` of the token, not verified.
    /// - Returns: nil if that is another's.
    public func policy(for issuer: String) -> IssuerPolicy? {
        guard let directories else { return policy.issuer.utf8.elementsEqual(issuer.utf8) ? policy : nil }
        guard directories.isIssuerOfSomeDirectory(issuer) else { return nil }
        var policy = policy
        policy.issuer = issuer
        return policy
    }
}

extension Tenant {
    /// What providers of `sign_in.providers` may sign with: their keys decide, and none of them is a secret.
    private static let providerAlgorithms: [SignatureAlgorithm] = [.rs256, .ps256, .es256, .edDSA]

    /// Whether there is anybody whose logout tokens and security events it takes.
    public var hasTrustedSenders: Bool { !trustedSenders.isEmpty }

    /// Those whose logout tokens and security events it takes: its trusted issuers but its own, its sign-in providers, and
    /// `signals`. Apple is none, which has events of another form.
    public var trustedSenders: [TrustedSender] {
        // Transmitters first: they may say more than an issuer of the same name, and some have to present a secret.
        self.signals.map(Self.sender) + issuersAsSenders + googleAsSenders
            + (self.signIn?.named ?? []).compactMap(Self.sender)
    }

    private var issuersAsSenders: [TrustedSender] {
        zip(self.authenticate.policy.issuers, self.authenticate.keySources).compactMap { policy, source in
            if case .builtIn = source { return nil }
            if let own = self.issuer, own.url.utf8.elementsEqual(policy.issuer.utf8) { return nil }
            var sender = TrustedSender(
                .issuer,
                issuer: policy.issuer,
                audiences: policy.audiences,
                algorithms: policy.algorithms,
                keys: policy.keys,
                source: source
            )
            sender.mapping = policy.mapping
            return sender
        }
    }

    /// Google's events have its issuer with a slash at the end.
    private var googleAsSenders: [TrustedSender] {
        guard let signIn = self.signIn, signIn.providers.contains(.google), let keys = signIn.keys(of: .google) else {
            return []
        }
        let web = signIn.web?.provider == .google ? signIn.web?.clientID : nil
        let audiences = (signIn.google?.clientIDs ?? []) + [signIn.google?.web?.clientID, web].compactMap(\.self)
        guard !audiences.isEmpty else { return [] }
        return signIn.issuers(of: .google).flatMap { $0.hasSuffix("/") ? [$0] : [$0, $0 + "/"] }.map {
            TrustedSender(
                .provider(.google),
                issuer: $0,
                audiences: audiences,
                algorithms: [.rs256],
                source: .remote(keys)
            )
        }
    }

    private static func sender(_ provider: NamedProvider) -> TrustedSender? {
        guard case .openID(let service) = provider.service else { return nil }
        var sender = TrustedSender(
            .provider(.named(provider.name)),
            issuer: service.issuer,
            audiences: [provider.clientID] + (provider.exchange?.clientIDs ?? []),
            algorithms: providerAlgorithms,
            source: .remote(service.keys)
        )
        sender.mapping = ClaimMapping([.subject: [provider.subject]])
        if service.isOfSeveralDirectories { sender.directories = service }
        return sender
    }

    private static func sender(_ transmitter: SignalTransmitter) -> TrustedSender {
        var sender = TrustedSender(
            .transmitter,
            issuer: transmitter.issuer,
            audiences: transmitter.audiences,
            algorithms: transmitter.algorithms,
            keys: transmitter.keys,
            source: transmitter.source
        )
        sender.bearer = transmitter.bearer
        return sender
    }
}
