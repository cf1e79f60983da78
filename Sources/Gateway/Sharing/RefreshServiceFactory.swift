import Logging
import NIOCore
import OutgoingHTTP
import SharedState
import Store
import Tenants
import Time
import Verification

/// Makes the refresh service with its dependencies.
struct RefreshServiceFactory {
    let tenants: [Tenant]
    let store: any Store
    let sealer: Sealer?
    let issuers: OwnIssuers
    let revocations: RevocationService
    let keySets: KeySetService
    let loops: EventLoops
    let logger: Logger

    /// - Parameter http: For calls to full URLs.
    func make(_ http: OutgoingHTTP) -> RefreshService {
        RefreshService(
            tenants: rules,
            store: store,
            sealer: sealer,
            caller: caller(http),
            helpers: helpers,
            logger: logger
        )
    }

    /// Updates the service for these tenants.
    func change(_ service: RefreshService, _ http: OutgoingHTTP) async {
        await service.adopt(rules, caller(http), helpers)
    }

    private func caller(_ http: OutgoingHTTP) -> RefreshCaller {
        RefreshCaller(
            rules: tenants.map(\.refresh),
            backend: BackendTransport(loops: loops),
            provider: ProviderTransport(http),
            builtIn: BuiltInCaller(
                issuers: issuers,
                deliveries: tenants.map { $0.refresh?.delivery },
                now: { Clock.unix() },
                logger: logger
            ),
            now: { Clock.unix() }
        )
    }

    private var rules: [RefreshTenant?] {
        tenants.map { tenant in
            tenant.refresh.map { rules in
                RefreshTenant(
                    name: tenant.name,
                    source: rules.source,
                    leeway: tenant.authenticate.policy.leeway,
                    grace: rules.grace.secondsAsDouble,
                    withoutStore: rules.withoutStore
                )
            }
        }
    }

    private var helpers: RefreshService.Helpers {
        let (tenants, issuers, revocations, keySets, loops) = (tenants, issuers, revocations, keySets, loops)
        return RefreshService.Helpers(
            verify: { tenant, token in
                let first = await loops.verify(token, ofTenant: tenant, at: Clock.unix())
                // The verifiers may know issuers of a later configuration already.
                guard case .failure(let failure) = first, let index = failure.issuerIndex,
                    index < tenants[tenant].authenticate.keySources.count,
                    case .remote(let source) = tenants[tenant].authenticate.keySources[index]
                else { return first }
                // Signed with a key that is newer than the present set.
                let reason: KeySetReason = failure.reason == .keysNotLoaded ? .missing : .unknownKey
                guard case .decideAgain = await keySets.requestKeys(source, because: reason) else { return first }
                return await loops.verify(token, ofTenant: tenant, at: Clock.unix())
            },
            isRevoked: { tenant, principal in
                await revocations.isRevoked(principal, tenant: tenants[tenant].name)
            },
            areRevoked: { tenant, marks in
                let set = await revocations.set(ofTenant: tenants[tenant].name)
                let now = Clock.unix()
                return marks.map { set.isRevoked($0, at: now) }
            },
            endSession: { tenant, principal, wholeSession, reason in
                let now = Clock.unix()
                let all = SignOut.revocations(of: principal, tenants[tenant], at: now, reason: reason)
                let token = RevocationTarget(tokenOf: principal)
                let ended = wholeSession ? all : all.filter { $0.target == token }
                let isTold = await revocations.revokeImmediately(ended, isSignOut: false)
                let session = wholeSession ? principal.sessionID : nil
                await issuers.end(session, ofTenant: tenant, at: now, reason: reason, isTold: isTold)
            }
        )
    }
}
