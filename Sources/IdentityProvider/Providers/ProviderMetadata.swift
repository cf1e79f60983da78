public import Logging
public import Tenants

/// The metadata of a tenant's OpenID providers, each fetched when it is first needed.
///
/// A reload carries over that of the providers that it does not change: otherwise nobody could begin to sign in if a
/// provider were down just then.
public struct ProviderMetadata: Sendable {
    private struct Known: Sendable {
        let service: OpenIDService
        let source: OpenIDMetadataSource
    }

    /// By the provider's name.
    private let known: [String: Known]

    /// - Parameters:
    ///   - signIn: The tenant's; nil if nobody can sign in there.
    ///   - previous: Of the same tenant before a reload.
    public init(
        _ signIn: SignIn?,
        previous: ProviderMetadata? = nil,
        requests: any ProviderRequests,
        logger: Logger
    ) {
        var known: [String: Known] = [:]
        for provider in signIn?.named ?? [] {
            guard case .openID(let service) = provider.service else { continue }
            if let before = previous?.known[provider.name], before.service == service {
                known[provider.name] = before
                continue
            }
            let source = OpenIDMetadataSource(service, of: .named(provider.name), requests: requests, logger: logger)
            known[provider.name] = Known(service: service, source: source)
        }
        self.known = known
    }

    /// - Returns: Nil for what is no OpenID provider of the tenant.
    func source(of provider: NamedProvider) -> OpenIDMetadataSource? { known[provider.name]?.source }
}
