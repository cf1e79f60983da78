public import Logging
public import Store
public import Tenants
import Time
public import Verification

/// Keeps the remote key sets of the whole process: finds them in the store or on disk, fetches them, refreshes them
/// ahead of their time, and answers those who miss a key.
///
/// Each source has a loop of its own, so that it has one round at a time, and its life in a ``KeySetState``. Of all
/// instances one fetches and the others adopt, by a ``FleetSingleFlight``; without a store each fetches for itself.
public actor KeySetService: FleetFlightRunner {
    public struct Entry: Sendable {
        var state: KeySetState
        /// Whether the store has, or had, the set that is held; else it is this instance's alone.
        var isShared = false
        public var lastError: String?
        /// What this process itself was given last by the provider.
        var received: KeySetRecord?
        /// What `use` was given last.
        var used: KeySet?
        var written: KeySetRecord?
        var uses = SerialTaskQueue()
        var writes = SerialTaskQueue()
        /// The loop, at rest; cancelling it makes the loop look again.
        var rest: Task<Void, Never>?
        var isWatchingWaiters = false
        /// Nobody needs it any more: its loop ends when it comes round.
        var isRetired = false

        init(_ source: RemoteKeySource) {
            state = KeySetState(lifetime: source.lifetime.map { $0 / .seconds(1) })
        }
    }

    nonisolated let shared: SharedKeySets
    nonisolated var store: any Store { shared.store }
    let fetcher: any KeySetFetching
    let clock: FleetClock
    let logger: Logger
    private let disk: KeySetDisk?
    private let use: @Sendable (RemoteKeySource, KeySet?) async -> Void
    var entries: [RemoteKeySource: Entry]
    /// The rounds under way.
    var flights: [RemoteKeySource: KeySetRound] = [:]
    var lastTurn: UInt64 = 0
    private var waiters: [KeySetState.WaiterID: CheckedContinuation<KeySetResult, Never>] = [:]
    private var nextWaiter: KeySetState.WaiterID = 0
    /// Sources whose loops are to begin.
    private nonisolated let arrivals: AsyncStream<RemoteKeySource>
    private nonisolated let arriving: AsyncStream<RemoteKeySource>.Continuation

    /// - Parameters:
    ///   - stateDirectory: Where sets are kept for a start without store and provider; nil: nowhere.
    ///   - use: Given every set with other keys than before, and nil when a set is gone; one call at a time for a
    ///     source.
    public init(
        sources: [RemoteKeySource],
        store: any Store,
        stateDirectory: String?,
        fetcher: any KeySetFetching,
        logger: Logger,
        clock: FleetClock = .system,
        use: @escaping @Sendable (RemoteKeySource, KeySet?) async -> Void
    ) {
        shared = SharedKeySets(store: store, logger: logger)
        disk = stateDirectory.map { KeySetDisk(stateDirectory: $0, logger: logger) }
        self.fetcher = fetcher
        self.logger = logger
        self.clock = clock
        self.use = use
        (arrivals, arriving) = AsyncStream.makeStream()
        entries = [:]
        for source in sources {
            entries[source] = Entry(source)
            arriving.yield(source)
        }
    }

    /// Keeps these sets too from now on.
    public func follow(_ sources: [RemoteKeySource]) {
        for source in sources {
            if entries[source] != nil {
                entries[source]?.isRetired = false
            } else {
                entries[source] = Entry(source)
                arriving.yield(source)
            }
        }
    }

    /// Keeps none but these from now on; of the others it is told that there are no keys.
    public func retire(allBut sources: [RemoteKeySource]) {
        for source in entries.keys where !sources.contains(source) {
            entries[source]?.isRetired = true
            wake(source)
        }
    }

    /// Loads what there is, fetches what is missing or due, and goes on so until its task is cancelled.
    public func run() async {
        await withDiscardingTaskGroup { group in
            for await source in arrivals {
                group.addTask {
                    await self.load(source)
                    await self.keep(source)
                }
            }
        }
        for entry in entries.values {
            await entry.uses.finish()
            await entry.writes.finish()
        }
    }

    /// Of `sources`, those that have no set yet.
    public func missing(of sources: [RemoteKeySource]) -> [RemoteKeySource] {
        sources.filter { entries[$0]?.state.held == nil }
    }

    public func states() -> [KeySetStatus] {
        let now = clock.moment().monotonic
        let states = entries.map { source, entry in
            KeySetStatus(
                label: source.label,
                ageSeconds: entry.state.held.map { max(0, now - $0.succeededAt) },
                numberOfKeys: entry.state.held?.set.keys.keys.count ?? 0,
                isStale: entry.state.isStale(at: now),
                lastError: entry.lastError
            )
        }
        return states.sorted { $0.label < $1.label }
    }

    /// Asks for keys that a decision lacks; waits for at most 5 s.
    ///
    /// Whoever is told to decide again and still lacks the key may ask again; a second answer comes at once.
    public func ask(_ source: RemoteKeySource, because reason: KeySetReason) async -> KeySetResult {
        nextWaiter += 1
        let id = nextWaiter
        switch entries[source]?.state.asked(id, reason, at: clock.moment().monotonic) {
        case nil: return .nothingNew
        case .answer(let answer):
            // Keys that have just come may still be on their way to whoever verifies with them.
            if answer == .decideAgain { await handOn(source) }
            return answer
        case .wait: break
        case .tick: wake(source)
        }
        return await withCheckedContinuation { continuation in
            waiters[id] = continuation
            watchWaiters(of: source)
        }
    }

    /// A key set was announced through the store: adopts it, if it is one of these.
    ///
    /// - Parameter subject: The announcement's, of topic ``SharedKeySets/topic``.
    public func announced(_ subject: String) async {
        for source in entries.keys where shared.subject(source.locationText) == subject {
            guard let set = try? await news(of: source) else { continue }
            await heard(set, by: source, isShared: true)
        }
    }
}

// MARK: One source's life

extension KeySetService {
    private func load(_ source: RemoteKeySource) async {
        let location = source.locationText
        if let set = try? await news(of: source) {
            await heard(set, by: source, isShared: true)
        } else if let record = await disk?.record(for: location), isUsable(record) {
            do throws(KeySetError) {
                await heard(try HeldKeySet(record), by: source, isShared: false)
            } catch {
                let metadata: Logger.Metadata = ["key_set": "\(source.label)", "error": "\(error)"]
                logger.error("key set on disk cannot be used and is ignored", metadata: metadata)
            }
        }
    }

    private func keep(_ source: RemoteKeySource) async {
        while !Task.isCancelled {
            if entries[source]?.isRetired == true, await retired(source) { return }
            switch entries[source]?.state.tick(at: clock.moment().monotonic) {
            case .begin(let purpose): await round(source, purpose)
            case .gone:
                logger.error("key set is too old and not used any more", metadata: ["key_set": "\(source.label)"])
                await handOn(source)
            case .wait(let until): await rest(source, until: until)
            case nil: return
            }
        }
    }

    /// - Returns: Whether the source is gone; else somebody needs it again.
    private func retired(_ source: RemoteKeySource) async -> Bool {
        answer(entries[source]?.state.waitersOverdue(at: .infinity) ?? [], .nothingNew)
        await entries[source]?.uses.finish()
        await use(source, nil)
        entries[source]?.used = nil
        guard entries[source]?.isRetired == true else {
            await handOn(source)
            return false
        }
        // Those who asked meanwhile.
        answer(entries[source]?.state.waitersOverdue(at: .infinity) ?? [], .nothingNew)
        let entry = entries.removeValue(forKey: source)
        await entry?.writes.finish()
        return true
    }

    func finished(_ source: RemoteKeySource, _ result: KeySetState.Result) async {
        let settled = entries[source]?.state.finished(result, at: clock.moment(), random: clock.random())
        switch result {
        case .fetched, .found:
            if case .found = result { entries[source]?.isShared = true } else { entries[source]?.isShared = false }
            entries[source]?.lastError = nil
        case .refused, .failed: break
        }
        await settle(source, settled)
    }

    private func heard(_ set: HeldKeySet, by source: RemoteKeySource, isShared: Bool) async {
        let settled = entries[source]?.state.heard(set, at: clock.moment(), random: clock.random())
        entries[source]?.isShared = isShared
        entries[source]?.lastError = nil
        await settle(source, settled)
        wake(source)
    }

    /// Hands the keys on first: whoever is told to decide again finds them there.
    private func settle(_ source: RemoteKeySource, _ settled: KeySetState.Settled?) async {
        guard let settled else { return }
        await handOn(source)
        answer(settled.answered, settled.answer)
    }

    /// Gives `use` the keys that are held now if they are others than those it has, and the disk the record.
    private func handOn(_ source: RemoteKeySource) async {
        let done = entries[source]?.uses.add {
            guard let keys = await self.keysToUse(source) else { return }
            await self.use(source, keys.value)
        }
        await done?.value
        guard let disk else { return }
        _ = entries[source]?.writes.add {
            if let record = await self.recordToWrite(source) { await disk.write(record) }
        }
    }

    private struct Keys {
        var value: KeySet?
    }

    private func keysToUse(_ source: RemoteKeySource) -> Keys? {
        let keys = entries[source]?.state.held?.set.keys
        guard keys != entries[source]?.used else { return nil }
        entries[source]?.used = keys
        let number = keys.map { "\($0.keys.count)" } ?? "none"
        logger.info("key set changed", metadata: ["key_set": "\(source.label)", "keys": "\(number)"])
        return Keys(value: keys)
    }

    private func recordToWrite(_ source: RemoteKeySource) -> KeySetRecord? {
        guard let record = entries[source]?.state.held?.set.record, record != entries[source]?.written else {
            return nil
        }
        entries[source]?.written = record
        return record
    }
}

// MARK: Waiting

extension KeySetService {
    /// Returns when the time has come, when something has happened, or when the service is to end.
    private func rest(_ source: RemoteKeySource, until: Double) async {
        let clock = self.clock
        let rest = Task { await clock.sleep(untilSecond: until) }
        entries[source]?.rest = rest
        await withTaskCancellationHandler {
            await rest.value
        } onCancel: {
            rest.cancel()
        }
    }

    private func wake(_ source: RemoteKeySource) { entries[source]?.rest?.cancel() }

    private func answer(_ ids: [KeySetState.WaiterID], _ answer: KeySetResult) {
        for id in ids { waiters.removeValue(forKey: id)?.resume(returning: answer) }
    }

    /// One timer for all who wait for the set.
    private func watchWaiters(of source: RemoteKeySource) {
        guard entries[source]?.isWatchingWaiters == false else { return }
        entries[source]?.isWatchingWaiters = true
        Task {
            while let deadline = entries[source]?.state.firstDeadline {
                await clock.sleep(untilSecond: deadline)
                let overdue = entries[source]?.state.waitersOverdue(at: clock.moment().monotonic) ?? []
                answer(overdue, .unavailable(retryAfterSeconds: Int(KeySetState.longestWait)))
            }
            entries[source]?.isWatchingWaiters = false
        }
    }
}
