import IdentityProvider
import Signals
import Store
import Tenants

/// Which of a tenant's tokens and accounts a sender may speak of.
struct SignalScope: Sendable {
    let tenant: Tenant
    let sender: TrustedSender
    /// `iss` of the sender's token.
    let issuer: String

    /// What to revoke among the tokens that the tenant takes; nil if the target is none of theirs.
    func revocationTarget(_ target: SignalTarget) -> RevocationTarget? {
        switch target {
        case .subject(let subject, let owner): isAboutTokens(of: owner) ? .subject(subject) : nil
        case .session(let session, let owner): isAboutTokens(of: owner) ? .session(session) : nil
        case .token(let issuer, let tokenID):
            isAboutTokens(of: .issuer(issuer)) ? .token(issuer: issuer, tokenID: tokenID) : nil
        }
    }

    /// Whether the target is a subject or a session of the tenant's own issuer. Only `signals` have a say in that.
    func isAboutOwnIssuer(_ target: SignalTarget) -> Bool {
        guard sender.role == .transmitter, let own = tenant.issuer else { return false }
        switch target {
        case .subject(_, .anyone), .session(_, .anyone): return true
        case .subject(_, .issuer(let name)), .session(_, .issuer(let name)):
            // Opaque names are the transmitter's and ours, as it has no subjects of its own.
            return Self.isSame(name, own.url) || Self.isSame(name, issuer) && !isTrustedIssuer(name)
        case .token: return false
        }
    }

    /// The providers whose identities have this subject.
    func providers(of target: SignalTarget) -> [SignIn.Provider] {
        guard case .subject(_, .issuer(let name)) = target, let signIn = tenant.signIn else { return [] }
        if case .provider(let provider) = sender.role {
            // Whose identities they are was found by the token's issuer.
            return Self.isSame(name, issuer) || issues(name, provider, signIn) ? [provider] : []
        }
        // What a trusted issuer says of its own subjects counts for sign-ins with it too.
        guard sender.role == .transmitter || Self.isSame(name, issuer) else { return [] }
        return signIn.providers.filter { issues(name, $0, signIn) }
    }

    private func issues(_ name: String, _ provider: SignIn.Provider, _ signIn: SignIn) -> Bool {
        if case .named(let key) = provider, case .openID(let service)? = signIn.named(key)?.service,
            service.isOfSeveralDirectories
        {
            return service.isIssuerOfSomeDirectory(name)
        }
        return signIn.issuers(of: provider).contains { Self.isSame($0, name) }
    }

    private func isAboutTokens(of owner: SignalTarget.Owner) -> Bool {
        switch owner {
        case .anyone: return sender.role == .transmitter || isTrustedIssuer(issuer)
        case .issuer(let name):
            switch sender.role {
            case .transmitter: return isTrustedIssuer(name) || Self.isSame(name, issuer)
            // A provider may be one of the tenant's issuers as well: then its subjects are those of tokens, too.
            case .issuer, .provider: return Self.isSame(name, issuer) && isTrustedIssuer(name)
            }
        }
    }

    private func isTrustedIssuer(_ name: String) -> Bool {
        tenant.authenticate.policy.issuers.contains { policy in
            Self.isSame(policy.issuer, name) && !(tenant.issuer.map { Self.isSame($0.url, name) } ?? false)
        }
    }

    /// Whether two names are one issuer's. Google's events have its name with a slash at the end.
    private static func isSame(_ first: String, _ second: String) -> Bool {
        withoutSlash(first).elementsEqual(withoutSlash(second))
    }

    private static func withoutSlash(_ name: String) -> Substring.UTF8View {
        name.hasSuffix("/") ? name.dropLast().utf8 : name[...].utf8
    }
}
