import Store
import Tenants

/// Checks whether some tenant has secrets in the store, which are sealed with `GATEHOUSE_KEY`.
enum SealingKeyRequirement {
    private static let remedy = "give it 32 random bytes in base64, as `openssl rand -base64 32` does"

    /// - Throws: For the first such tenant.
    static func check(_ configuration: TenantsConfiguration) throws(StoreError) {
        for tenant in configuration.tenants {
            if tenant.refresh?.source == .vault {
                throw .unusable(
                    """
                    tenant "\(tenant.name)" keeps refresh tokens (refresh.from: vault), which are sealed with \
                    GATEHOUSE_KEY, and that is not set: \(remedy)
                    """
                )
            }
            if let issuer = tenant.issuer, issuer.keysDirectory == nil {
                throw .unusable(
                    """
                    the issuer of tenant "\(tenant.name)" keeps its signing keys in the store, sealed with \
                    GATEHOUSE_KEY, and that is not set: \(remedy), or give the issuer a "keys_dir"
                    """
                )
            }
        }
    }
}
