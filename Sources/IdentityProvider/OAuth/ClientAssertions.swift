import Store
import Tenants
import Time
import Verification

/// Checks clients' assertions: by the client's keys, for this issuer, and each once on all instances.
struct ClientAssertions: Sendable {
    /// How often keys are fetched for one request.
    private static let mostFetches = 2

    private let audiences: AssertionAudiences
    private let store: any Store
    private let tenant: String
    private let keySets: any ClientKeySets

    /// - Parameter tenant: Whose issuer it is.
    init(_ issuer: BuiltInIssuer, of tenant: Tenant, store: any Store, keys: any ClientKeySets) {
        audiences = AssertionAudiences(issuer, hosts: tenant.hosts)
        self.store = store
        self.tenant = tenant.name
        keySets = keys
    }

    /// - Parameter client: The one that the assertion claims to be of.
    /// - Returns: Whether it is valid and was not used before; it is used from now on.
    /// - Throws: If that cannot be told now.
    func use(
        _ assertion: ClientAssertion,
        of client: IssuerClient,
        _ request: EndpointRequest
    ) async throws(OAuthError) -> Bool {
        guard let source = client.keys,
            let use = try await verified(assertion, of: client, source, request)
        else { return false }
        let key = StoreKey(
            tenant: tenant,
            kind: "client-assertion",
            hashing: Array("\(client.id.utf8.count) \(client.id)\(use.tokenID)".utf8)
        )
        // As long as any instance accepts it, by whatever clock.
        let rest = use.expiresAt - request.now + ClientAssertion.leeway + SessionService.clockDifference
        return try await mappingErrors(OAuthError.init) { () async throws(StoreError) in
            try await store.replace(nil, with: [1], for: key, lifetime: .seconds(rest))
        }
    }

    private func verified(
        _ assertion: ClientAssertion,
        of client: IssuerClient,
        _ source: IssuerClient.KeysSource,
        _ request: EndpointRequest
    ) async throws(OAuthError) -> ClientAssertion.Use? {
        let audiences = audiences.all(for: request)
        var fetchesLeft = Self.mostFetches
        while true {
            let keys = await keySets.keys(of: source)
            do throws(ClientAssertion.Problem) {
                return try assertion.verified(
                    by: keys,
                    of: client.id,
                    IssuerClient.assertionAlgorithms,
                    audiences: audiences,
                    at: request.now
                )
            } catch .keys {
                if fetchesLeft > 0 {
                    fetchesLeft -= 1
                    if await keySets.fetch(source, isMissing: keys == nil) { continue }
                }
                if keys == nil { throw .clientKeysUnavailable }
                return nil
            } catch {
                return nil
            }
        }
    }
}
