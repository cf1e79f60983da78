public import ConfigurationText
public import Counting
import IdentityProvider
public import SharedState
public import Tenants
public import TokenSigning
public import Verification

/// The gateway as the admin API uses it.
public protocol AdministeredGateway: Sendable {
    /// What requests still need, a phrase each; empty if the gateway is ready.
    func missing() async -> [String]

    /// For whom requests are refused although the gateway is ready, and why, a phrase each.
    func limitations() async -> [String]

    /// The current counts.
    ///
    /// - Throws: If the gateway has been stopped.
    func count() async throws -> GatewayCount

    /// How many requests each access rule of a tenant was for, on all event loops.
    ///
    /// - Throws: If the gateway has been stopped.
    func ruleCounts(ofTenant tenant: TenantIndex) async throws -> RuleCounts

    /// How many requests each route of a tenant was for, on all event loops.
    ///
    /// - Throws: If the gateway has been stopped.
    func routeCounts(ofTenant tenant: TenantIndex) async throws -> RouteCounts

    /// The last refusals of all event loops, in any order.
    ///
    /// - Parameter tenant: The name of the only one to look at; nil for all, and for requests without a tenant.
    /// - Throws: If the gateway has been stopped.
    func recentRefusals(ofTenant tenant: String?) async throws -> [RecentRefusal]

    /// The states of all providers' key sets.
    func keySets() async -> [KeySetStatus]

    /// The certificates in use, in any order; empty if the gateway has been stopped.
    func certificates() -> [CertificateStatus]

    /// Decides on a hypothetical request, and explains why, for `POST /api/explain`.
    ///
    /// - Parameter tenant: The expected tenant; the request may be another's.
    /// - Returns: nil while the gateway is starting or stopping.
    /// - Throws: If the gateway is stopped meanwhile.
    func explain(_ request: ExplainedRequest, of tenant: Tenant) async throws -> JSONObject?

    /// Reloads the configuration.
    func reload() async -> ReloadReport

    /// The tenants in the store; nil if `gateway.tenants` does not have them.
    var storedTenants: StoredTenantService? { get }

    /// Reads the configuration as it would be with these texts of stored tenants, and puts nothing into force.
    ///
    /// - Returns: Nil if the configuration cannot be read again here.
    func judge(_ sources: [TenantSource]) async -> ReadResult?

    /// What is wrong with tenants in the store, by name: they are not in force.
    var faultyTenants: [String: [Diagnostic]] { get }

    /// The tenant's signing keys in the store; nil if it has none there. A reload may replace the object: do not keep it.
    func storedKeys(ofTenant tenant: TenantIndex) -> StoredKeys?

    /// The sessions of the tenant's issuer; nil if it has none. A reload may replace the object: do not keep it.
    func sessions(ofTenant tenant: TenantIndex) -> (any SessionListing)?

    /// The accounts that the tenant's people sign in to; nil if it keeps none. A reload may replace the object: do not keep
    /// it.
    func accounts(ofTenant tenant: TenantIndex) -> (any AccountAdministration)?

    /// Deletions of accounts; nil if no tenant's are deleted. A reload may replace the object: do not keep it.
    var deletions: (any DeletionListing)? { get }

    /// Bytes of the access log that were lost to a slow reader.
    var lostAccessLogBytes: Int { get }

    /// Lines of the gateway's log that were lost to a slow reader.
    var lostLogLines: Int { get }
}
