import Adoption
import Proxy
import SharedState
import Store
import Tenants
import Time

extension SharedServices {
    /// The calls for the loops while these parts are in force.
    func controlPlane(_ parts: Parts) -> ControlPlane {
        let (issuers, services, usedProofs) = (parts.issuers, parts.services, parts.usedProofs)
        var controlPlane = ControlPlane(
            keys: { [keySets] source, reason in await keySets.requestKeys(source, because: reason) },
            endSession: { [revocations, snapshot = parts.snapshot] ended in
                let isStored = await revocations.revokeImmediately(ended)
                for revocation in ended {
                    guard case .session(let session) = revocation.target,
                        let tenant = snapshot.index(of: revocation.tenant)
                    else { continue }
                    await issuers.end(session, ofTenant: tenant, at: Clock.unix(), isTold: isStored)
                }
                return isStored
            },
            introspect: { [introspections] step in await introspections.introspect(step) },
            refresh: { [refreshes] request in await refreshes.refresh(request) },
            capture: { [refreshes] tokens in
                await refreshes.capture(
                    tenant: tokens.tenant,
                    accessToken: tokens.accessToken,
                    principal: tokens.principal,
                    refreshToken: tokens.refreshToken
                )
            },
            answer: { tenant, request in await services.answer(request, ofTenant: tenant) },
            register: { tenant, identity in await services.register(identity, ofTenant: tenant) },
            useProof: { step in await usedProofs.use(step, at: Clock.unix()) }
        )
        controlPlane.adopt = { [adoptions = parts.adoptions] request in await adoptions.adopt(request) }
        controlPlane.giveBack = { [adoptions = parts.adoptions] session in await adoptions.giveBack(session) }
        return controlPlane
    }
}
