public import Logging
public import NIOCore
public import Store
public import Time
public import Verification

/// What the event loops are told of revocations.
public struct RevocationUpdate: Sendable {
    /// By the tenant's name; those that did not change are left out.
    public var sets: [String: RevocationSet]
    /// When the store was last known to have nothing newer; nil: never.
    public var contact: MonotonicTime?

    public init(sets: [String: RevocationSet], contact: MonotonicTime? = nil) {
        self.sets = sets
        self.contact = contact
    }
}

/// Keeps this instance's revocations the same as the store's: loads them whole, follows the changes, and hands every new
/// set to the event loops. One task runs it; whoever revokes asks it.
public actor RevocationService {
    /// Puts an update on its way to all loops, in the order of the calls; done when each has it in force.
    public typealias Distribute = @Sendable (RevocationUpdate) -> [EventLoopFuture<Void>]

    private let store: any Store
    private var tenants: [String]
    private let logger: Logger
    private let distribute: Distribute
    private let heard: @Sendable (Event) -> Void
    private var replica: RevocationReplica
    private var load: RevocationLoad?
    /// When the store was last known to have nothing newer; nil: never.
    public private(set) var contact: MonotonicTime?
    /// The contact that the loops were told of last; nil: none.
    private var toldContact: MonotonicTime?
    private var pace: RevocationPace
    private var unstored = UnstoredRevocations()
    private var upkeepAtRest: Task<Void, Never>?
    private var housekeeping: RevocationHousekeeping
    private var isDown = false
    private var waitingForLoad: [EventLoopPromise<Void>] = []
    /// Those that wait until the loops were told of a contact as new as this.
    private var waitingForContact: [(since: MonotonicTime, promise: EventLoopPromise<Void>)] = []
    /// Whether everything was loaded at least once.
    public private(set) var isLoaded = false
    /// Whether to load everything before going on.
    private var isLoadDue = false
    /// Tenants that came with a reload, and whose revocations are not loaded yet.
    private var unloaded: Set<String> = []

    /// What other parts of the instance are told of the store's history.
    public enum Event: Sendable {
        case announcement(Announcement)
        /// All was loaded anew: announcements may have been missed.
        case reloaded
    }

    /// - Parameter heard: Told of each word. Must not take long.
    public init(
        store: any Store,
        tenants: [String],
        pace: RevocationPace = .closest,
        logger: Logger,
        distribute: @escaping Distribute,
        heard: @escaping @Sendable (Event) -> Void
    ) {
        self.store = store
        self.tenants = tenants
        self.pace = pace
        self.logger = logger
        self.distribute = distribute
        self.heard = heard
        replica = RevocationReplica(tenants: tenants)
        housekeeping = RevocationHousekeeping(now: Clock.monotonic())
    }

    // MARK: Following the store

    /// Loads and follows until the task is cancelled. While the store is away, what is known here stays in force.
    public func run() async {
        await withDiscardingTaskGroup { tasks in
            // Apart, because a write may wait for a replica while there is news.
            tasks.addTask { await self.keepUp() }
            await follow()
        }
        // The last chance for sign-outs that the store has not taken, in a task that is not cancelled. What the store has
        // lost other instances have too.
        await Task { await storeSignOuts() }.value
    }

    private func follow() async {
        var position: StorePosition?
        while !Task.isCancelled {
            do throws(StoreError) {
                if let known = position, !isLoadDue {
                    position = try await hear(after: known)
                } else {
                    position = try await loadAll()
                }
                cameBack()
            } catch {
                await failed(error)
            }
        }
    }

    /// - Returns: Where to go on; nil if everything has to be loaded again.
    private func hear(after position: StorePosition) async throws(StoreError) -> StorePosition? {
        let asked = Clock.monotonic()
        switch try await store.news(after: position, waiting: pace.wait) {
        case .missed:
            logger.notice("the store's history does not reach back far enough; loading all revocations again")
            // Where that is so again and again, loading again and again would not help.
            try? await Task.sleep(for: .milliseconds(Int64.random(in: 50...150)))
            return nil
        case .changes(let records, let announcements, let next):
            // With a full page there is more, and the copy as old as before.
            if records.count < StoreChanges.fullPage { contact = asked }
            await take(records, inOrder: true)
            await tellContact()
            for waiting in waitingForContact where waiting.since <= asked { waiting.promise.succeed() }
            waitingForContact.removeAll { $0.since <= asked }
            for announcement in announcements { heard(.announcement(announcement)) }
            return next
        }
    }

    private func loadAll() async throws(StoreError) -> StorePosition {
        let asked = Clock.monotonic()
        let since = replica.latest
        load = RevocationLoad()
        defer { load = nil }
        isLoadDue = false
        do throws(StoreError) {
            return try await loadAll(asked: asked, since: since)
        } catch {
            isLoadDue = true
            throw error
        }
    }

    private func loadAll(asked: MonotonicTime, since: UInt64) async throws(StoreError) -> StorePosition {
        let loading = tenants
        let position = try await store.loadRevocations(tenants: loading) { [weak self] records in
            await self?.loaded(records)
        }
        let lost = replica.replace(with: load ?? RevocationLoad(), since: since, at: Clock.unix())
        if !lost.isEmpty {
            logger.warning(
                "the store has lost revocations that are in force here; they are put back",
                metadata: ["count": "\(lost.count)"]
            )
            unstored.lost(lost)
            wakeUpkeep()
        }
        contact = asked
        await hand(Set(tenants))
        if !isLoaded { logger.info("revocations loaded", metadata: ["count": "\(counts.values.reduce(0, +))"]) }
        isLoaded = true
        // More may have come meanwhile.
        unloaded.subtract(loading)
        if unloaded.isEmpty {
            for waiting in waitingForLoad { waiting.succeed() }
            waitingForLoad = []
        }
        heard(.reloaded)
        return position
    }

    private func loaded(_ records: [RevocationRecord]) { load?.add(records) }

    private func failed(_ error: StoreError) async {
        if Task.isCancelled { return }
        if !isDown {
            isDown = true
            logger.error(
                "revocations cannot be followed; what is known here stays in force",
                metadata: ["reason": "\(error)"]
            )
            // The loops' copies grow old from the last contact, not from the one that they were told of.
            await hand([])
        }
        // The store has waited already where waiting helps; this keeps a failure that comes at once from spinning.
        try? await Task.sleep(for: .milliseconds(Int64.random(in: 100...300)))
    }

    private func cameBack() {
        guard isDown else { return }
        isDown = false
        wakeUpkeep()
        logger.notice("revocations are followed again")
    }

    // MARK: Keeping the store up to date

    /// Stores what the store did not take, and clears away what has expired.
    private func keepUp() async {
        while !Task.isCancelled {
            await storeSignOuts()
            await restoreLost()
            await removeExpired()
            let pause = unstored.pause ?? housekeeping.rest(at: Clock.monotonic())
            let rest = Task { _ = try? await Task.sleep(for: pause) }
            upkeepAtRest = rest
            await withTaskCancellationHandler {
                await rest.value
            } onCancel: {
                rest.cancel()
            }
        }
    }

    /// The store is there again: what waits for it does not wait longer.
    private func wakeUpkeep() {
        unstored.worked()
        upkeepAtRest?.cancel()
    }

    private func storeSignOuts() async {
        do throws(StoreError) {
            while let batch = unstored.revocations() {
                _ = try await revoke(batch.revocations)
                unstored.stored(batch)
                unstored.worked()
            }
        } catch {
            unstored.failed()
        }
    }

    private func restoreLost() async {
        do throws(StoreError) {
            while let batch = unstored.lost() {
                try await store.restore(batch.records)
                unstored.restored(batch)
                unstored.worked()
            }
        } catch {
            unstored.failed()
        }
    }

    private func removeExpired() async {
        let due = housekeeping.due(at: Clock.monotonic())
        if due.store {
            do throws(StoreError) {
                try await store.removeExpiredRevocations(tenants: tenants)
            } catch {
                logger.warning("expired revocations could not be removed", metadata: ["reason": "\(error)"])
            }
        }
        if due.memory { replica.removeExpired(at: Clock.unix()) }
    }

    // MARK: Revoking

    /// Revokes. When this returns, the store has it and every loop of this instance refuses.
    public func revoke(_ revocations: [Revocation]) async throws(StoreError) -> [RevocationRecord] {
        let records = try await store.revoke(revocations)
        await take(records, inOrder: false)
        return records
    }

    /// Takes revocations back.
    ///
    /// - Returns: Those that were in force.
    public func withdraw(_ targets: [RevocationTarget], tenant: String) async throws(StoreError) -> [RevocationRecord] {
        let records = try await store.withdraw(targets, tenant: tenant)
        await take(records, inOrder: false)
        return records
    }

    /// Revokes here and now whatever the store says; what it does not take is tried again until it does.
    ///
    /// - Returns: Whether the store has it.
    public func revokeAnyway(_ revocations: [Revocation]) async -> Bool {
        var changed: Set<String> = []
        let now = Clock.unix()
        for revocation in revocations where replica.applyProvisionally(revocation, at: now) {
            changed.insert(revocation.tenant)
        }
        await hand(changed)
        do throws(StoreError) {
            _ = try await revoke(revocations)
            return true
        } catch {
            let isFirst = unstored.count == 0
            let dropped = unstored.add(revocations)
            if isFirst { upkeepAtRest?.cancel() }
            logger.error(
                "a sign-out is in force here, but not stored yet",
                metadata: ["reason": "\(error)", "waiting": "\(unstored.count)", "dropped": "\(dropped)"]
            )
            return false
        }
    }

    /// Whether a token, its session, its subject or its tenant is revoked, as far as is known here.
    public func isRevoked(_ principal: Principal, tenant: String) -> Bool {
        replica.sets[tenant]?.isRevoked(RevocationMarks(principal), at: Clock.unix()) ?? false
    }

    /// A tenant's revocations as they are now, for questions about many.
    public func set(ofTenant tenant: String) -> RevocationSet { replica.sets[tenant] ?? RevocationSet() }

    // MARK: Telling the loops

    private func take(_ records: [RevocationRecord], inOrder: Bool) async {
        let changed = replica.apply(records, inOrder: inOrder, at: Clock.unix())
        // Who has just written waits until every loop has it, also where the news were faster.
        if !inOrder || !changed.isEmpty { await hand(changed) }
    }

    /// Tells the loops that the store has nothing newer, as often as they need to hear it.
    private func tellContact() async {
        guard let contact, toldContact.map({ contact - min($0, contact) >= max(1, pace.quiet) }) ?? true else { return }
        await hand([])
    }

    /// The sets are put on their way before anything else can change them, so that no loop gets an older one last.
    private func hand(_ changed: Set<String>) async {
        let sets = replica.sets.filter { changed.contains($0.key) }
        toldContact = contact
        for done in distribute(RevocationUpdate(sets: sets, contact: contact)) { try? await done.get() }
    }

    /// Keeps the revocations of these too from now on, and loads them.
    ///
    /// - Parameters:
    ///   - tenants: By name. Those that are kept already stay so, whether they are among them or not.
    ///   - pace: Nil: as before. A closer one is kept to when this returns.
    /// - Returns: Whether they are loaded within the time.
    public func follow(
        _ tenants: [String],
        pace: RevocationPace? = nil,
        within time: TimeAmount,
        on eventLoop: any EventLoop
    ) async -> Bool {
        // The question under way waits for as long as the pace before says, and the time begins after it.
        let time = time + TimeAmount(self.pace.wait)
        let isCloser = pace.map { $0.wait < self.pace.wait || $0.quiet < self.pace.quiet } ?? false
        if let pace { self.pace = pace }
        let added = tenants.filter { !self.tenants.contains($0) }
        if !added.isEmpty {
            self.tenants += added
            replica.add(tenants: added)
            unloaded.formUnion(added)
            isLoadDue = true
        }
        if isLoadDue || isCloser { store.wake() }
        // Also those that a reload before this one asked for in vain.
        if !unloaded.isDisjoint(with: tenants) { await loaded(within: time, on: eventLoop) }
        guard unloaded.isDisjoint(with: tenants) else { return false }
        // Whoever tolerates less must not find a copy that is as old as the pace before allowed.
        if isCloser { await contact(within: time, on: eventLoop) }
        return true
    }

    /// Waits until the loops were told of a contact that is newer than this call, but no longer than the time allows.
    private func contact(within time: TimeAmount, on eventLoop: any EventLoop) async {
        let told = eventLoop.makePromise(of: Void.self)
        waitingForContact.append((Clock.monotonic(), told))
        let timer = eventLoop.scheduleTask(in: time) { told.succeed() }
        try? await told.futureResult.get()
        timer.cancel()
    }

    /// From now on at this pace, which must be no closer than the one before.
    public func slowDown(to pace: RevocationPace) { self.pace = pace }

    /// Waits until everything is loaded, but no longer than the time allows.
    public func loaded(within time: TimeAmount, on eventLoop: any EventLoop) async {
        if isLoaded && unloaded.isEmpty { return }
        let loaded = eventLoop.makePromise(of: Void.self)
        waitingForLoad.append(loaded)
        let timer = eventLoop.scheduleTask(in: time) { loaded.succeed() }
        try? await loaded.futureResult.get()
        timer.cancel()
    }

    // MARK: For metrics

    /// By tenant.
    public var counts: [String: Int] { replica.sets.mapValues(\.count) }

    /// Seconds since the store was last known to have nothing newer; nil: never.
    public var staleness: Double? {
        contact.map { Double(Clock.monotonic() - $0) / 1_000_000_000 }
    }
}
