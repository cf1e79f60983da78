import Authorization
import IdentityProvider
import NIOCore
import SharedState
import Store
import Tenants
import Verification

extension Worker {
    /// Revokes the token of a caller who has signed out, and its session.
    func endSession(of caller: Caller, _ tenant: ServedTenant, for exchange: RequestExchange) {
        let revocations = SignOut.revocations(of: caller.principal, tenant.tenant, at: unixTime(at: now()))
        let bound = NIOLoopBound(exchange, eventLoop: eventLoop)
        let id = exchange.id
        Task { [eventLoop, controlPlane] in
            let isStored = await controlPlane.endSession(revocations)
            eventLoop.execute {
                // It may be gone, and the object serve another request.
                if bound.value.id == id { bound.value.sessionEnded(isStored: isStored) }
            }
        }
    }
}
