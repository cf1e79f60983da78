package import Authorization
import Tenants

/// The configuration that the request path reads on one event loop. Swapped whole, never changed; a class, so that a
/// request holds it by one reference.
package final class Serving {
    /// See ``ConfigurationSnapshot/generation``.
    package let generation: UInt64
    /// By tenant index.
    package let tenants: [ServedTenant]
    package let authorizer: Authorizer
    private let tenantsByKeySource: [KeySource: [TenantIndex]]

    /// - Parameters:
    ///   - tenants: By tenant index.
    ///   - tenantsByKeySource: See ``ConfigurationSnapshot/tenantsByKeySource``.
    ///   - authenticator: The loop's.
    ///   - redirectsToHTTPS: `gateway.redirect_https`.
    init(
        generation: UInt64 = 0,
        tenants: [ServedTenant],
        directory: TenantDirectory,
        tenantsByKeySource: [KeySource: [TenantIndex]] = [:],
        authenticator: Authenticator,
        redirectsToHTTPS: Bool = false
    ) {
        self.generation = generation
        self.tenants = tenants
        authorizer = Authorizer(
            router: RequestRouter(directory: directory, tenants: tenants.map(\.runtime)),
            authenticator: authenticator,
            redirectsToHTTPS: redirectsToHTTPS
        )
        self.tenantsByKeySource = tenantsByKeySource
    }

    /// The tenants whose issuers have their keys from a source.
    func tenants(withKeysFrom source: KeySource) -> [ServedTenant] {
        tenantsByKeySource[source, default: []].map { tenants[$0] }
    }

    package func close() {
        authorizer.authenticator.forgetTokens { _ in true }
        for backend in tenants.flatMap(\.backends) { backend.close() }
    }
}
