public import IdentityProvider
public import SharedState
public import Tenants
public import Verification

/// What the admin API asks of the gateway that it is for.
public protocol AdministeredGateway: Sendable {
    /// What is not there yet that requests need, a phrase each; empty when requests can be taken.
    func missing() async -> [String]

    /// The numbers of this moment.
    ///
    /// - Throws: If the gateway has been stopped.
    func count() async throws -> GatewayCount

    /// How it stands with the key sets of all providers.
    func keySets() async -> [KeySetStatus]

    /// Why the request would be let through or refused, as `POST /api/explain` answers it. Nothing comes of it.
    ///
    /// - Parameter tenant: The tenant that is asked about; the request may turn out to be another's.
    /// - Returns: Nil while the gateway is starting or stopping.
    /// - Throws: If the gateway is stopped meanwhile.
    func explain(_ request: ExplainedRequest, of tenant: Tenant) async throws -> JSONObject?

    /// Reads the configuration anew, because the admin API was asked to.
    func reload() async -> ReloadReport

    /// - Parameter place: The tenant's. A reload puts other keys in their place, so that they are asked for each time.
    /// - Returns: The signing keys in the store; nil for a tenant that has none there.
    func storedKeys(ofTenant place: TenantIndex) -> StoredKeys?

    /// - Parameter place: The tenant's. A reload puts others in their place, so that they are asked for each time.
    /// - Returns: Nil for a tenant without an issuer.
    func sessions(ofTenant place: TenantIndex) -> (any SessionListing)?

    /// Bytes of the access log that were lost to a slow reader.
    var lostAccessLogBytes: Int { get }

    /// Lines of the other log that were lost to a slow reader.
    var lostLogLines: Int { get }
}
