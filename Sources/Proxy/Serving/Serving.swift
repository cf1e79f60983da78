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
    let keySteps: KeySteps

    /// - Parameters:
    ///   - tenants: By tenant index.
    ///   - keySources: The remote key sets.
    init(
        generation: UInt64 = 0,
        tenants: [ServedTenant],
        directory: TenantDirectory,
        keySources: [RemoteKeySource] = []
    ) {
        self.generation = generation
        self.tenants = tenants
        authorizer = Authorizer(
            router: RequestRouter(directory: directory, tenants: tenants.map(\.runtime)),
            keySources: keySources.count
        )
        keySteps = KeySteps(keySources)
    }

    /// Forgets its verified tokens. Requests under way go on with what they have.
    package func retire() { authorizer.authenticator.forgetTokens() }

    package func close() {
        retire()
        for backend in tenants.flatMap(\.backends) { backend.close() }
    }
}

/// The remote key sets, and how many requests wait for each.
final class KeySteps {
    let sources: [RemoteKeySource]
    /// By source.
    var underWay: [Int]

    init(_ sources: [RemoteKeySource]) {
        self.sources = sources
        underWay = Array(repeating: 0, count: sources.count)
    }
}
