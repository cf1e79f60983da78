import Authorization
import IdentityProvider
import SharedState
import Store
import Tenants
import Verification

extension Worker {
    /// Revokes the token of a caller who has signed out, and its session.
    func endSession(of caller: Caller, _ tenant: ServedTenant, for exchange: RequestExchange) {
        let revocations = SignOut.revocations(of: caller.principal, tenant.tenant, at: unixTime(at: now()))
        run(for: exchange) {
            await $0.endSession(revocations)
        } then: {
            $0.sessionEnded(isStored: $1)
        }
    }
}
