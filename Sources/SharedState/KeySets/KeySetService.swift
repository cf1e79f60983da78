public import Logging
public import Store
public import Tenants
import Time
public import Verification

/// Keeps the remote key sets of the process: finds them in the store or on disk, fetches them, refreshes them before
/// they expire, and serves decisions that lack a key.
///
/// Each source has its own loop, and so one round at a time, and a ``KeySetState``. By a ``FleetSingleFlight`` one
/// instance fetches and the others adopt; without the store each fetches for itself.
public actor KeySetService: FleetFlightRunner {
    public struct Entry: Sendable {
        var state: KeySetState
        /// Whether the store has, or had, the present set; if not, only this instance has it.
        var isShared = false
        public var lastError: String?
        /// The provider's last response to this process.
        var received: KeySetRecord?
        /// The keys that `use` was last called with.
        var used: KeySet?
        var written: KeySetRecord?
        var uses = SerialTaskQueue()
        var writes = SerialTaskQueue()
        /// The loop's sleep; cancelled to wake it.
        var rest: Task<Void, Never>?
        var isWatchingWaiters = false
        /// No tenant needs it any more: its loop ends at its next turn.
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
    /// Sources whose loops are yet to begin.
    private nonisolated let arrivals: AsyncStream<RemoteKeySource>
    private nonisolated let arriving: AsyncStream<RemoteKeySource>.Continuation

    /// - Parameters:
    ///   - stateDirectory: For copies of the sets, to start without store and provider; nil: none.
    ///   - use: Called with each set whose keys differ from the previous one's, and with nil when a set is dropped; one
    ///     call at a time for a source.
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

    /// Adds these sources.
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

    /// Removes all other sources, and calls `use` with nil for them.
    public func retire(allBut sources: [RemoteKeySource]) {
        for source in entries.keys where !sources.contains(source) {
            entries[source]?.isRetired = true
            wake(source)
        }
    }

    /// Loads the sets, and fetches missing and due ones until its task is cancelled.
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

    /// Those of `sources` that have no set yet.
    public func missing(of sources: [RemoteKeySource]) -> [RemoteKeySource] {
        sources.filter { entries[$0]?.state.held == nil }
    }

    public func statuses() -> [KeySetStatus] {
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

    /// Requests keys that a decision lacks; waits for at most 5 s.
    ///
    /// A decision that still lacks the key after `decideAgain` may request it again, which returns at once.
    public func requestKeys(_ source: RemoteKeySource, because reason: KeySetReason) async -> KeySetResult {
        nextWaiter += 1
        let id = nextWaiter
        switch entries[source]?.state.requested(id, reason, at: clock.moment().monotonic) {
        case nil: return .nothingNew
        case .result(let result):
            // New keys may not have reached all verifiers yet.
            if result == .decideAgain { await applyKeys(source) }
            return result
        case .wait: break
        case .tick: wake(source)
        }
        return await withCheckedContinuation { continuation in
            waiters[id] = continuation
            watchWaiters(of: source)
        }
    }

    /// Adopts a key set that was announced through the store, if it is one of the sources.
    ///
    /// - Parameter subject: The announcement's, of topic ``SharedKeySets/topic``.
    public func announced(_ subject: String) async {
        for source in entries.keys where shared.subject(source.locationText) == subject {
            guard let set = try? await newerSet(of: source) else { continue }
            await adopt(set, for: source, isShared: true)
        }
    }
}

// MARK: One source

extension KeySetService {
    private func load(_ source: RemoteKeySource) async {
        let location = source.locationText
        if let set = try? await newerSet(of: source) {
            await adopt(set, for: source, isShared: true)
        } else if let record = await disk?.record(for: location), isUsable(record) {
            do throws(KeySetError) {
                await adopt(try HeldKeySet(record), for: source, isShared: false)
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
            case .expired:
                logger.error("key set is too old and not used any more", metadata: ["key_set": "\(source.label)"])
                await applyKeys(source)
            case .wait(let until): await rest(source, until: until)
            case nil: return
            }
        }
    }

    /// - Returns: Whether the source was removed; if not, a tenant needs it again.
    private func retired(_ source: RemoteKeySource) async -> Bool {
        resume(entries[source]?.state.waitersOverdue(at: .infinity) ?? [], .nothingNew)
        await entries[source]?.uses.finish()
        await use(source, nil)
        entries[source]?.used = nil
        guard entries[source]?.isRetired == true else {
            await applyKeys(source)
            return false
        }
        // Requests that came meanwhile.
        resume(entries[source]?.state.waitersOverdue(at: .infinity) ?? [], .nothingNew)
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

    private func adopt(_ set: HeldKeySet, for source: RemoteKeySource, isShared: Bool) async {
        let settled = entries[source]?.state.adoptedWithoutRound(set, at: clock.moment(), random: clock.random())
        entries[source]?.isShared = isShared
        entries[source]?.lastError = nil
        await settle(source, settled)
        wake(source)
    }

    /// Applies the keys first: decisions that are made again must find them.
    private func settle(_ source: RemoteKeySource, _ settled: KeySetState.Settled?) async {
        guard let settled else { return }
        await applyKeys(source)
        resume(settled.resumed, settled.result)
    }

    /// Calls `use` with the present keys if they have changed, and writes the record to disk.
    private func applyKeys(_ source: RemoteKeySource) async {
        await entries[source]?.uses.add { await self.useIfChanged(source) }.value
        guard let disk else { return }
        _ = entries[source]?.writes.add {
            if let record = await self.recordToWrite(source) { await disk.write(record) }
        }
    }

    private func useIfChanged(_ source: RemoteKeySource) async {
        let keys = entries[source]?.state.held?.set.keys
        guard keys != entries[source]?.used else { return }
        entries[source]?.used = keys
        let number = keys.map { "\($0.keys.count)" } ?? "none"
        logger.info("key set changed", metadata: ["key_set": "\(source.label)", "keys": "\(number)"])
        await use(source, keys)
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
    /// Sleeps until the time, ``wake(_:)`` or cancellation.
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

    private func resume(_ ids: [KeySetState.WaiterID], _ result: KeySetResult) {
        for id in ids { waiters.removeValue(forKey: id)?.resume(returning: result) }
    }

    /// Runs one timer for all requests that wait for the set.
    private func watchWaiters(of source: RemoteKeySource) {
        guard entries[source]?.isWatchingWaiters == false else { return }
        entries[source]?.isWatchingWaiters = true
        Task {
            while let deadline = entries[source]?.state.firstDeadline {
                await clock.sleep(untilSecond: deadline)
                let overdue = entries[source]?.state.waitersOverdue(at: clock.moment().monotonic) ?? []
                resume(overdue, .unavailable(retryAfterSeconds: Int(KeySetState.longestWait)))
            }
            entries[source]?.isWatchingWaiters = false
        }
    }
}
