import Adoption
import Authorization
import Events
import Logging
import NIOCore
import NIOPosix
import OutgoingHTTP
import Proxy
import SharedState
import Store
import Synchronization
import Tenants
import Time
import Verification

/// The state that this instance shares with others through the store, and the services that keep it up to date:
/// revocations, key sets of identity providers, the tenants' own issuers, refreshes and sign-ins; and key files.
///
/// It lives as long as the process. Everything that depends on the configuration is in ``Parts``, which a reload
/// replaces as a whole.
final class SharedServices: Sendable {
    /// How long a start, and a reload that adds tenants, waits for revocations: with a reachable store no request is
    /// refused for lack of them.
    private static let patience = TimeAmount.seconds(2)

    /// The parts that are made for each configuration.
    struct Parts: Sendable {
        let snapshot: ConfigurationSnapshot
        let issuers: OwnIssuers
        let services: EndpointServices
        let adoptions: AdoptionService
        /// Nil if no tenant ever had a rate limit.
        let limits: SharedLimits?
        let usedProofs: UsedProofs
        /// Of its issuers and its sign-in providers.
        let keySources: [RemoteKeySource]
        let keyFiles: KeyFileWatch
    }

    let store: any Store
    let loops: EventLoops
    let revocations: RevocationService
    let keySets: KeySetService
    let introspections: IntrospectionService
    let refreshes: RefreshService
    /// For proofs of possession, in requests and at the tenants' own endpoints.
    let proofNonces: ProofNonces
    /// Nil if nothing is traced.
    let traces: TraceExporter?
    /// Nil if tenants come from files alone.
    let storedTenants: StoredTenantService?
    /// What others are told of: the webhook of `gateway.events`, and clients that sessions have ended.
    let outbox: EventOutbox
    private let http: OutgoingHTTP
    /// Separate, so that slow receivers do not use up the connections of sign-ins.
    private let outboxHTTP: OutgoingHTTP
    /// Separate, so that unknown tokens do not use up the connections of refreshes to the same server.
    private let introspectionHTTP: OutgoingHTTP
    private let providerVerifiers: ProviderVerifiers
    private let changeRelay: StoreChangeRelay
    /// Seals secrets in the store; nil without `GATEHOUSE_KEY`.
    private let sealer: Sealer?
    private let factory: SharedPartsFactory
    private let logger: Logger
    private let current: Mutex<Parts>
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let keyFileTask = Mutex<Task<Void, Never>?>(nil)
    private let wasReady = Atomic<Bool>(false)

    var issuers: OwnIssuers { current.withLock { $0.issuers } }
    var services: EndpointServices { current.withLock { $0.services } }
    var limits: SharedLimits? { current.withLock { $0.limits } }

    /// - Parameters:
    ///   - sealingKeys: The text of `GATEHOUSE_KEY`.
    ///   - files: Reads signing keys.
    ///   - tenantsChanged: Puts the tenants of the store into force; false if that may succeed later.
    /// - Throws: If the text is invalid, or missing although a tenant needs it.
    init(
        _ snapshot: ConfigurationSnapshot,
        sealingKeys: Secret?,
        files: any FileReading,
        logger: Logger,
        tenantsChanged: @escaping @Sendable () async -> Bool
    ) throws(StoreError) {
        var sealer: Sealer?
        // Without a shared key each instance has its own nonces, and asks clients to use those.
        var proofNonces = ProofNonces()
        if let sealingKeys {
            let keys = try SealingKeys(String(decoding: sealingKeys.bytes, as: UTF8.self))
            sealer = Sealer(keys)
            proofNonces = ProofNonces(key: keys.derivedKey(for: "proof nonces"))
        }
        if sealer == nil { try SealingKeyRequirement.check(snapshot.configuration) }
        // Not the workers' loops: reading a million revocations there would delay requests.
        let group = MultiThreadedEventLoopGroup.singleton
        let settings = snapshot.configuration.gateway
        let store = StoreFactory.make(settings.store, group: group, logger: logger.of(.store))
        let loops = EventLoops()
        let providerVerifiers = ProviderVerifiers(snapshot)
        let fetched = FetchedKeySets()
        let keySets = Self.keySets(snapshot.configuration, store, group, logger) { source, keys in
            await providerVerifiers.use(keys, from: source)
            await fetched.use(keys, from: source)
            await loops.use(keys, from: .remote(source))
        }
        let clientKeys = ClientKeyRepository(fetched) { source, reason in
            await keySets.requestKeys(source, because: reason)
        }
        changeRelay = StoreChangeRelay()
        let outboxHTTP = OutgoingHTTP(group: group)
        let outbox = EventOutbox(store: store, transport: OutboxHTTP(http: outboxHTTP), logger: logger.of(.events))
        self.outbox = outbox
        self.outboxHTTP = outboxHTTP
        revocations = Self.revocations(snapshot.tenants, store, loops, changeRelay, outbox, logger)
        let http = OutgoingHTTP(group: group)
        let introspectionHTTP = OutgoingHTTP(group: group)
        introspections = IntrospectionService(snapshot.tenants, logger: logger.of(.introspection)) {
            IntrospectionServer($0, http: introspectionHTTP)
        }
        self.http = http
        self.introspectionHTTP = introspectionHTTP
        self.providerVerifiers = providerVerifiers
        self.sealer = sealer
        self.proofNonces = proofNonces
        self.store = store
        self.loops = loops
        self.keySets = keySets
        self.logger = logger.of(.store)
        storedTenants =
            settings.tenants.contains(.store)
            ? StoredTenantService(
                StoredTenants(store: store, sealer: sealer),
                stateDirectory: settings.stateDirectory,
                logger: logger.of(.store),
                changed: tenantsChanged
            ) : nil
        traces = settings.tracing.flatMap { TraceExporter($0, group: group, logger: logger.of(.tracing)) }
        factory = SharedPartsFactory(
            store: store,
            sealer: sealer,
            files: files,
            revocations: revocations,
            keySets: keySets,
            providerVerifiers: providerVerifiers,
            clientKeys: clientKeys,
            http: http,
            proofNonces: proofNonces,
            loops: loops,
            outbox: outbox,
            logger: logger
        )
        let parts = factory.make(snapshot, previous: nil)
        refreshes = factory.refreshes(parts).make(http)
        current = Mutex(parts)
        outbox.adopt(settings.events, issuers: parts.issuers.toldOfLogouts)
        changeRelay.connect(keySets: keySets, issuers: parts.issuers, refreshes: refreshes, tenants: storedTenants)
    }

    // MARK: Another configuration

    /// Prepares another configuration, so that it can be put into force at once. The current one is not touched.
    ///
    /// - Parameter needsStore: Whether the store's data of its tenants has to be read. If not, they begin without, as
    ///   those do that a gateway starts with: without revocations their callers are refused.
    /// - Throws: ``StoreError`` if it cannot be served: `GATEHOUSE_KEY` is missing for it, or the store's data of its
    ///   tenants cannot be read.
    func prepare(
        _ snapshot: ConfigurationSnapshot,
        on eventLoop: any EventLoop,
        needsStore: Bool
    ) async throws(StoreError) -> Parts {
        if sealer == nil { try SealingKeyRequirement.check(snapshot.configuration) }
        let parts = factory.make(snapshot, previous: current.withLock { $0 })
        // For both: the present one stays in force until the loops have changed, or permanently if this fails.
        let inForce = current.withLock { $0.snapshot.tenants }
        let pace = RevocationPace(
            staleAfter: inForce.map(\.maxStaleness) + snapshot.tenants.map(\.maxStaleness),
            isLocal: store.isLocal
        )
        let hasRead = await revocations.follow(snapshot.names, pace: pace, within: Self.patience, on: eventLoop)
        guard hasRead || !needsStore else {
            throw .unusable("the store is out of reach, so the revocations of a new tenant cannot be loaded")
        }
        await keySets.follow(parts.keySources)
        do throws(StoreError) {
            try await parts.issuers.load()
        } catch {
            await retireUnused()
            throw error
        }
        return parts
    }

    private func retireUnused() async {
        await keySets.retire(allBut: parts.keySources)
    }

    /// Puts the parts into force that are not on the loops. Call it before the loops change.
    func adopt(_ parts: Parts) async {
        let tenants = parts.snapshot.tenants
        await loops.verify(for: parts.snapshot)
        await providerVerifiers.adopt(parts.snapshot)
        await introspections.adopt(tenants)
        await factory.refreshes(parts).change(refreshes, http)
        await parts.limits?.adopt(tenants)
        current.withLock { $0 = parts }
        outbox.adopt(parts.snapshot.configuration.gateway.events, issuers: parts.issuers.toldOfLogouts)
        changeRelay.connect(keySets: keySets, issuers: parts.issuers, refreshes: refreshes, tenants: storedTenants)
    }

    /// Releases parts that no tenant needs any more. Call it when the loops have changed.
    func retireOld() async {
        await retireUnused()
        let limits = parts.snapshot.tenants.map(\.maxStaleness)
        await revocations.slowDown(to: RevocationPace(staleAfter: limits, isLocal: store.isLocal))
        watchKeyFiles(parts)
    }

    private func watchKeyFiles(_ parts: Parts) {
        let watch = parts.keyFiles
        keyFileTask.withLock { task in
            task?.cancel()
            task = Task { await watch.run() }
        }
    }

    private static func keySets(
        _ configuration: TenantsConfiguration,
        _ store: any Store,
        _ group: any EventLoopGroup,
        _ logger: Logger,
        use: @escaping @Sendable (RemoteKeySource, KeySet?) async -> Void
    ) -> KeySetService {
        KeySetService(
            sources: RemoteKeySource.needed(by: configuration.tenants),
            store: store,
            stateDirectory: configuration.gateway.stateDirectory,
            fetcher: KeySetFetcher(group: group),
            logger: logger.of(.keys),
            use: use
        )
    }

    private static func revocations(
        _ tenants: [Tenant],
        _ store: any Store,
        _ loops: EventLoops,
        _ changeRelay: StoreChangeRelay,
        _ outbox: EventOutbox,
        _ logger: Logger
    ) -> RevocationService {
        RevocationService(
            store: store,
            tenants: tenants.map(\.name),
            pace: RevocationPace(staleAfter: tenants.map(\.maxStaleness), isLocal: store.isLocal),
            logger: logger.of(.revocations),
            distribute: { update in
                if !update.sets.isEmpty { changeRelay.revocationsChanged(tenants: Set(update.sets.keys)) }
                return loops.use(update)
            },
            onEvent: { event in
                switch event {
                case .announcement(let announcement): changeRelay.announced(announcement)
                case .reloaded: changeRelay.reloaded()
                }
            },
            onRevoked: { (revocations, isSignOut) async throws(StoreError) in
                try await changeRelay.revoked(revocations, isSignOut: isSignOut, outbox)
            }
        )
    }

    /// The parts in force.
    var parts: Parts { current.withLock { $0 } }

    /// Opens the store and begins to follow it.
    ///
    /// - Throws: If the store cannot be used, or its secrets are sealed with another key.
    func start(_ workers: [WorkerHandle], _ verifiers: [SlowVerifier]) async throws(StoreError) {
        try await store.open()
        if let sealer { try await verifySealing(sealer) }
        loops.set(workers, verifiers)
        try await issuers.load()
        tasks.withLock { tasks in
            tasks = [
                Task { [revocations] in await revocations.run() },
                Task { [keySets] in await keySets.run() },
                Task { [keySets] in await keySets.reconcilePeriodically() },
                Task { await self.keepUpIssuers() },
                Task { await self.carryOutDeletions() },
                Task { [outbox] in await outbox.run() },
                Task { await self.reportRefusals() },
                Task { [traces] in await traces?.run() },
            ]
        }
        watchKeyFiles(parts)
        if let eventLoop = workers.first?.eventLoop {
            await revocations.loaded(within: Self.patience, on: eventLoop)
        }
    }

    /// Begins to follow the tenants in the store, whose changes are reloads: call it once there is something to reload.
    func followStoredTenants() {
        guard let storedTenants else { return }
        let task = Task { await storedTenants.run() }
        tasks.withLock { $0.append(task) }
    }

    /// Checks the issuers' keys in the store repeatedly until the task is cancelled.
    private func keepUpIssuers() async {
        while !Task.isCancelled {
            guard (try? await Task.sleep(for: OwnIssuers.upkeep)) != nil else { return }
            await issuers.reloadKeys()
        }
    }

    /// Works on deletions of accounts until the task is cancelled: what is under way then is repeated by whoever goes on.
    private func carryOutDeletions() async {
        while !Task.isCancelled {
            guard (try? await Task.sleep(for: .seconds(1), tolerance: .milliseconds(200))) != nil else { return }
            await services.deletions?.work()
        }
    }

    private func verifySealing(_ sealer: Sealer) async throws(StoreError) {
        do throws(StoreError) {
            try await store.verifySealing(with: sealer)
        } catch .sealBroken(let problem) {
            throw .sealBroken(problem)
        } catch {
            logger.warning(
                "GATEHOUSE_KEY could not be compared with the key in the store",
                metadata: ["reason": "\(error)"]
            )
        }
    }

    /// The refreshes were stopped before.
    func stop() async {
        var running = tasks.withLock { tasks in
            defer { tasks = [] }
            return tasks
        }
        if let task = keyFileTask.withLock({ $0 }) { running.append(task) }
        for task in running { task.cancel() }
        for task in running { await task.value }
        await limits?.stop()
        await outbox.flush()
        await outboxHTTP.shutdown()
        await http.shutdown()
        await introspectionHTTP.shutdown()
        await traces?.stop()
        loops.set([], [])
        await store.close()
    }

    /// What requests still lack; empty when there is nothing to wait for, and from then on: missing keys of one issuer,
    /// after a reload or because they became too old, are no reason to refuse all requests.
    func missing() async -> [String] {
        guard !wasReady.load(ordering: .relaxed) else { return [] }
        var missing: [String] = []
        if await !revocations.isLoaded { missing.append("revocations are not loaded") }
        // The keys for sign-in may come later.
        let needed = RemoteKeySource.all(of: parts.snapshot.configuration.tenants)
        for source in await keySets.missing(of: needed) {
            missing.append("keys of \(source.label) are not loaded")
        }
        missing += await issuers.missing()
        if storedTenants?.isLoaded == false { missing.append("the tenants in the store are not loaded") }
        if missing.isEmpty { wasReady.store(true, ordering: .relaxed) }
        return missing
    }
}
