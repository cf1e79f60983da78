import Logging
import NIOCore
import NIOPosix
import Store
import Synchronization
import Tenants
import Verification

/// What this instance shares with others through the store, and what keeps it up to date: revocations, the key sets of
/// identity providers, the tenants' own issuers, sessions that are refreshed, and those that begin; and key files.
final class SharedState: Sendable {
    /// How long a start waits for the revocations, so that with a store at hand no request is refused for want of them.
    private static let patience = TimeAmount.seconds(2)

    let store: any Store
    let loops: EventLoops
    let revocations: RevocationKeeper
    let keySets: KeySetKeeper
    let issuers: OwnIssuers
    let refreshes: RefreshKeeper
    let desks: SignInDesks
    /// Without which some tenant's requests cannot be served; those for signing in come later.
    private let neededKeys: [RemoteKeySource]
    private let provider: ProviderTransport
    private let keyFiles: KeyFileWatch
    /// Seals what is secret in the store; nil without `GATEHOUSE_KEY`.
    private let sealer: Sealer?
    private let tenants: [String]
    private let logger: Logger
    private let tasks = Mutex<[Task<Void, Never>]>([])

    /// - Parameters:
    ///   - sealingKeys: The text of `GATEHOUSE_KEY`.
    ///   - files: Where signing keys are read.
    /// - Throws: If that is no key, or there is none and a tenant cannot do without.
    init(
        _ configuration: TenantsConfiguration,
        sealingKeys: Secret?,
        files: any FileReading,
        logger: Logger
    ) throws(StoreError) {
        var sealer: Sealer?
        if let sealingKeys {
            sealer = Sealer(try SealingKeys(String(decoding: sealingKeys.bytes, as: UTF8.self)))
        }
        if sealer == nil { try NeedForKey.check(configuration) }
        // Not the workers' loops: a million revocations that are read there would hold up requests.
        let group = MultiThreadedEventLoopGroup.singleton
        let tenants = configuration.tenants
        let store = StoreMaker.make(configuration.gateway.store, group: group, logger: logger)
        let loops = EventLoops()
        let providerVerifiers = ProviderVerifiers(tenants)
        let keySets = Self.keySets(configuration, store, group, logger) { source, keys in
            await providerVerifiers.use(keys, from: source)
            await loops.use(keys, from: .remote(source))
        }
        let news = SharedNews()
        let revocations = Self.revocations(tenants, store, loops, news, logger)
        let issuers = OwnIssuers(
            tenants,
            store: store,
            sealer: sealer,
            revocations: KnownRevocations(keeper: revocations),
            files: files,
            logger: logger
        ) { source, keys in await loops.use(keys, from: source) }
        keyFiles = KeyFileWatch(sources: KeyFileSource.all(of: tenants), logger: logger) { source, keys in
            await loops.use(keys, from: .file(source))
            // In this order: a key is known before it signs.
            await issuers.keysChanged(in: source.path)
        }
        provider = ProviderTransport(group: group)
        refreshes = RefreshMaker(
            tenants: tenants,
            store: store,
            sealer: sealer,
            issuers: issuers,
            revocations: revocations,
            keySets: keySets,
            loops: loops,
            logger: logger
        ).make(provider)
        desks = SignInDesks(
            tenants,
            SignInDesks.Parts(
                store: store,
                issuers: issuers,
                revocations: KnownRevocations(keeper: revocations),
                requests: ProviderHTTP(transport: provider),
                verifiers: providerVerifiers,
                ask: { source, reason in await keySets.ask(source, because: reason) },
                logger: logger
            )
        )
        self.sealer = sealer
        self.store = store
        self.loops = loops
        self.keySets = keySets
        self.revocations = revocations
        self.issuers = issuers
        self.logger = logger
        self.tenants = tenants.map(\.name)
        neededKeys = RemoteKeySource.all(of: tenants)
        news.tell(keySets: keySets, issuers: issuers, refreshes: refreshes)
    }

    private static func keySets(
        _ configuration: TenantsConfiguration,
        _ store: any Store,
        _ group: any EventLoopGroup,
        _ logger: Logger,
        use: @escaping @Sendable (RemoteKeySource, KeySet?) async -> Void
    ) -> KeySetKeeper {
        let needed = RemoteKeySource.all(of: configuration.tenants)
        let forSignIn = RemoteKeySource.ofSignIn(configuration.tenants).filter { !needed.contains($0) }
        return KeySetKeeper(
            sources: needed + forSignIn,
            store: store,
            stateDirectory: configuration.gateway.stateDirectory,
            fetcher: KeySetFetcher(group: group),
            logger: logger,
            use: use
        )
    }

    private static func revocations(
        _ tenants: [Tenant],
        _ store: any Store,
        _ loops: EventLoops,
        _ news: SharedNews,
        _ logger: Logger
    ) -> RevocationKeeper {
        RevocationKeeper(
            store: store,
            tenants: tenants.map(\.name),
            logger: logger,
            distribute: { update in
                if !update.sets.isEmpty { news.revocationsChanged(tenants: Set(update.sets.keys)) }
                return loops.use(update)
            },
            heard: { word in
                switch word {
                case .announcement(let announcement): news.announced(announcement)
                case .reloaded: news.reloaded()
                }
            }
        )
    }

    /// What the loops may ask for.
    var controlPlane: ControlPlane {
        ControlPlane(
            keys: { [keySets] source, reason in await keySets.ask(source, because: reason) },
            endSession: { [revocations, issuers, tenants] ended in
                let isStored = await revocations.revokeAnyway(ended)
                for revocation in ended {
                    guard case .session(let session) = revocation.target,
                        let tenant = tenants.firstIndex(of: revocation.tenant)
                    else { continue }
                    await issuers.end(session, ofTenant: tenant, at: Clock.unix())
                }
                return isStored
            },
            refresh: { [refreshes] request in await refreshes.refresh(request) },
            capture: { [refreshes] tokens in
                await refreshes.capture(
                    tenant: tokens.tenant,
                    accessToken: tokens.accessToken,
                    principal: tokens.principal,
                    refreshToken: tokens.refreshToken
                )
            },
            answer: { [desks] tenant, request in await desks.answer(request, ofTenant: tenant) },
            register: { [desks] tenant, identity in await desks.register(identity, ofTenant: tenant) }
        )
    }

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
                Task { [keyFiles] in await keyFiles.run() },
                Task { [keySets] in await keySets.lookAgainAndAgain() },
                Task { [issuers] in await issuers.keepUp() },
            ]
        }
        if let eventLoop = workers.first?.eventLoop {
            await revocations.loaded(within: Self.patience, on: eventLoop)
        }
    }

    private func verifySealing(_ sealer: Sealer) async throws(StoreError) {
        do throws(StoreError) {
            try await store.verifySealing(with: sealer)
        } catch .sealBroken(let problem) {
            throw .sealBroken(problem)
        } catch {
            logger.warning("whether GATEHOUSE_KEY is the right one cannot be told", metadata: ["reason": "\(error)"])
        }
    }

    /// The refreshes have been stopped before.
    func stop() async {
        let running = tasks.withLock { tasks in
            defer { tasks = [] }
            return tasks
        }
        for task in running { task.cancel() }
        for task in running { await task.value }
        await provider.shutdown()
        loops.set([], [])
        await store.close()
    }

    /// What is not there yet that requests need; empty when there is nothing to wait for.
    func missing() async -> [String] {
        var missing: [String] = []
        if await !revocations.isLoaded { missing.append("revocations are not loaded") }
        for source in await keySets.missing(of: neededKeys) {
            missing.append("keys of \(source.label) are not loaded")
        }
        missing += await issuers.missing()
        return missing
    }
}

extension KeyFileSource {
    /// Those of all tenants' issuers, each once: of those that they trust, and of their own.
    static func all(of tenants: [Tenant]) -> [KeyFileSource] {
        var sources: [KeyFileSource] = []
        for case .file(let source) in tenants.flatMap(\.authenticate.keySources) where !sources.contains(source) {
            sources.append(source)
        }
        for issuer in tenants.compactMap(\.issuer) {
            guard let path = issuer.keysDirectory else { continue }
            let source = KeyFileSource(kind: .directory, path: path, algorithms: [issuer.algorithm])
            if !sources.contains(source) { sources.append(source) }
        }
        return sources
    }
}
