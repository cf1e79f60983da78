import IdentityProvider
import SharedState
import Tenants
import Time
import Verification

/// Verifies the tokens of one tenant's providers, with keys that are fetched if missing.
struct TenantProviderTokens: ProviderTokens {
    let tenant: TenantIndex
    let verifiers: ProviderVerifiers
    let keys: FetchedKeys

    func verify(
        _ token: String,
        as kind: ProviderTokenKind,
        at now: UnixTime
    ) async -> Result<Principal, ProviderTokenProblem> {
        guard let source = await verifiers.source(of: kind, ofTenant: tenant) else { return .failure(.keysUnavailable) }
        let bytes = Array(token.utf8)
        return await keys.verifying(from: source) {
            await verifiers.verify(bytes, as: kind, ofTenant: tenant, at: now)
        }
    }
}
