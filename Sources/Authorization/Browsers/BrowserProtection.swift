import Tenants

/// A tenant's rules for cross-site requests of browsers.
package struct BrowserProtection {
    /// Nil for a tenant without CORS rules.
    package let crossOrigin: CrossOriginSharing?
    let crossSite: CrossSiteGuard

    init(_ tenant: Tenant) {
        crossOrigin = CrossOriginSharing(tenant)
        crossSite = CrossSiteGuard(tenant)
    }
}
