import IdentityProvider
public import Tenants
import Time

/// Begins and ends the sessions of a tenant's own issuer.
protocol SessionAdopting: Sendable {
    /// See ``SessionAdopter/open(_:at:isInTime:)``.
    func open(
        _ former: FormerSession,
        at now: UnixTime,
        isInTime: @Sendable () -> Bool
    ) async throws(AdoptionFailure) -> IssuedTokens

    /// See ``SessionAdopter/end(_:because:at:)``.
    func end(_ sessionID: String, because reason: String, at now: UnixTime) async

    /// See ``SessionAdopter/isUnused(_:at:)``.
    func isUnused(_ sessionID: String, at now: UnixTime) async throws(AdoptionFailure) -> Bool
}

extension SessionAdopter: SessionAdopting {}

/// A tenant with `refresh.adopt`.
public struct AdoptingTenant: Sendable {
    let tenant: Tenant
    let refresh: RefreshRules
    let adopter: any SessionAdopting
    /// Seconds.
    let accessLifetime: Double
    /// Seconds that an unused session lives.
    let sessionLifetime: Double
    /// Seconds for which tokens are accepted after their expiry.
    let leeway: Double

    /// - Returns: Nil for a tenant without former issuers, or without one of its own.
    public init?(_ tenant: Tenant, adopter: SessionAdopter) { self.init(tenant, adopting: adopter) }

    init?(_ tenant: Tenant, adopting adopter: any SessionAdopting) {
        guard let refresh = tenant.refresh, !refresh.adopted.isEmpty, let issuer = tenant.issuer else { return nil }
        self.tenant = tenant
        self.refresh = refresh
        self.adopter = adopter
        accessLifetime = issuer.access.secondsAsDouble
        sessionLifetime = issuer.refresh.secondsAsDouble
        leeway = tenant.authenticate.policy.leeway
    }

    /// The name of an issuer as the configuration has it; nil if its sessions are not adopted.
    func issuer(named name: String) -> String? {
        refresh.adopted.first { $0.utf8.elementsEqual(name.utf8) }
    }
}
