import Tenants

/// What a tenant asks of browsers that come from other sites.
package struct BrowserProtection {
    /// Nil for a tenant without CORS rules.
    package let crossOrigin: CrossOriginSharing?
    let crossSite: CrossSiteGuard

    init(_ tenant: Tenant) {
        crossOrigin = CrossOriginSharing(tenant)
        crossSite = CrossSiteGuard(tenant)
    }
}
