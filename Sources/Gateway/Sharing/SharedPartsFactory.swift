import Adoption
import Authorization
import Events
import IdentityProvider
import Logging
import OutgoingHTTP
import Proxy
import SharedState
import Store
import Tenants
import Verification

/// Makes the configuration-dependent parts of the shared services.
struct SharedPartsFactory {
    let store: any Store
    let sealer: Sealer?
    let files: any FileReading
    let revocations: RevocationService
    let keySets: KeySetService
    let providerVerifiers: ProviderVerifiers
    let clientKeys: ClientKeyRepository
    let http: OutgoingHTTP
    let proofNonces: ProofNonces
    let loops: EventLoops
    let outbox: EventOutbox
    let logger: Logger

    /// - Parameter previous: The parts in force; their counts and caches continue where they are still needed.
    func make(_ snapshot: ConfigurationSnapshot, previous: SharedServices.Parts?) -> SharedServices.Parts {
        let tenants = snapshot.tenants
        let (keySets, loops) = (keySets, loops)
        let (clientKeys, providerVerifiers) = (clientKeys, providerVerifiers)
        let issuers = OwnIssuers(
            tenants,
            previous: previous?.issuers,
            store: store,
            sealer: sealer,
            // Sessions tell others themselves.
            revocations: KnownRevocations(service: revocations, isReported: false),
            outbox: outbox,
            files: files,
            logger: logger.of(.issuer)
        ) { source, keys in await loops.use(keys, from: source) }
        let services = EndpointServices(
            tenants,
            previous: previous?.services,
            EndpointServices.Parts(
                store: store,
                sealer: sealer,
                backends: BackendTransport(loops: loops),
                issuers: issuers,
                revocations: KnownRevocations(service: revocations),
                requests: ProviderHTTP(http: http),
                verifiers: providerVerifiers,
                requestKeys: { source, reason in await keySets.requestKeys(source, because: reason) },
                proofNonces: proofNonces,
                outbox: outbox,
                clientKeys: clientKeys,
                logger: logger.of(.signIn),
                accountsLogger: logger.of(.accounts)
            )
        )
        let adopting = services.adopters.compactMap { index, adopter in
            AdoptingTenant(tenants[index], adopter: adopter).map { (index, $0) }
        }
        let sources = KeyFileSource.all(of: snapshot.configuration.tenants)
        return SharedServices.Parts(
            snapshot: snapshot,
            issuers: issuers,
            services: services,
            adoptions: AdoptionService(
                Dictionary(uniqueKeysWithValues: adopting),
                previous: previous?.adoptions,
                store: store,
                logger: logger.of(.refresh)
            ),
            limits: previous?.limits ?? SharedLimits(tenants, store: store, logger: logger.of(.limits)),
            usedProofs: UsedProofs(tenants, previous: previous?.usedProofs, store: store),
            keySources: RemoteKeySource.needed(by: snapshot.configuration.tenants),
            keyFiles: KeyFileWatch(sources: sources, logger: logger.of(.keys)) { source, keys in
                await loops.use(keys, from: .file(source))
                await clientKeys.use(keys, from: source)
                await providerVerifiers.use(keys, from: source)
                // In this order: verifiers know a key before it signs.
                await issuers.keysChanged(in: source)
            }
        )
    }

    /// The factory that makes the refresh service, or updates it for another configuration.
    func refreshes(_ parts: SharedServices.Parts) -> RefreshServiceFactory {
        RefreshServiceFactory(
            tenants: parts.snapshot.tenants,
            store: store,
            sealer: sealer,
            issuers: parts.issuers,
            revocations: revocations,
            keySets: keySets,
            loops: loops,
            logger: logger.of(.refresh)
        )
    }
}
