public import Logging
public import NIOCore
public import Store
import Time
public import Verification

/// Keeps this instance's revocations up to date with the store: loads all of them, follows the changes, and distributes
/// each new set to the event loops.
public actor RevocationService {
    /// Sends an update to all loops, in the order of the calls; each future succeeds when a loop has it in force.
    public typealias Distribute = @Sendable (RevocationUpdate) -> [EventLoopFuture<Void>]

    /// Called for revocations that were made here and are in the store, before whoever has made them is told so.
    ///
    /// - Parameters:
    ///   - revocations: Made together.
    ///   - isSignOut: Whether somebody has signed out.
    /// - Throws: If it is to be called again with the same revocations.
    public typealias OnRevoked =
        @Sendable (_ revocations: [Revocation], _ isSignOut: Bool) async throws(StoreError) -> Void

    private let store: any Store
    private var tenants: FollowedTenants
    private let logger: Logger
    private let distribute: Distribute
    private let onEvent: @Sendable (Event) -> Void
    private let onRevoked: OnRevoked
    private var replica: RevocationReplica
    private var load: RevocationLoad?
    private(set) var contact = StoreContact()
    private var pace: RevocationPace
    private var unstored = UnstoredRevocations()
    private var maintenancePause: Task<Void, Never>?
    private var housekeeping: RevocationHousekeeping
    private var isDown = false
    private var waits = RevocationWaits()

    /// Events in the store's history, for other parts of the instance.
    public enum Event: Sendable {
        case announcement(Announcement)
        /// Everything was loaded again: announcements may have been missed.
        case reloaded
    }

    /// - Parameter onEvent: Called for each event. Must return quickly.
    public init(
        store: any Store,
        tenants: [String],
        pace: RevocationPace = .closest,
        logger: Logger,
        distribute: @escaping Distribute,
        onEvent: @escaping @Sendable (Event) -> Void,
        onRevoked: @escaping OnRevoked = { (_, _) async throws(StoreError) in }
    ) {
        self.store = store
        self.tenants = FollowedTenants(tenants)
        self.pace = pace
        self.logger = logger
        self.distribute = distribute
        self.onEvent = onEvent
        self.onRevoked = onRevoked
        replica = RevocationReplica(tenants: tenants)
        housekeeping = RevocationHousekeeping(now: Clock.monotonic())
    }

    // MARK: Following the store

    /// Loads and follows until the task is cancelled. While the store is away, known revocations stay in force.
    public func run() async {
        await withDiscardingTaskGroup { tasks in
            // A task of its own, since a write may wait for a replica while changes arrive.
            tasks.addTask { await self.maintainStore() }
            await follow()
        }
        // The last attempt for unstored sign-outs, in a task that is not cancelled. Lost records are not restored now:
        // other instances have them too.
        await Task { await storeSignOuts() }.value
    }

    private func follow() async {
        var position: StorePosition?
        while !Task.isCancelled {
            do throws(StoreError) {
                if let known = position {
                    if !tenants.unloaded.isEmpty { try await loadAdded() }
                    position = try await readChanges(after: known)
                } else {
                    position = try await loadAll()
                }
                storeRecovered()
            } catch {
                await failed(error)
            }
        }
    }

    /// - Returns: The next position; nil if everything has to be loaded again.
    private func readChanges(after position: StorePosition) async throws(StoreError) -> StorePosition? {
        let asked = Clock.monotonic()
        switch try await store.changes(after: position, waiting: pace.wait) {
        case .missed:
            logger.notice("the store's history does not reach back far enough; loading all revocations again")
            // Limits the rate of loads if this repeats.
            try? await Task.sleep(for: .milliseconds(Int64.random(in: 50...150)))
            return nil
        case .changes(let records, let announcements, let next):
            // After a full page there may be more changes, so it is no contact.
            if records.count < StoreChanges.fullPage { contact.made(at: asked) }
            await apply(records, inOrder: true)
            await distributeContact()
            waits.contact(at: asked)
            for announcement in announcements { onEvent(.announcement(announcement)) }
            return next
        }
    }

    private func loadAll() async throws(StoreError) -> StorePosition {
        let asked = Clock.monotonic()
        let since = replica.latest
        let loading = tenants.names
        load = RevocationLoad()
        defer { load = nil }
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
            wakeMaintenance()
        }
        contact.made(at: asked)
        await distributeSets(Set(tenants.names))
        if !isLoaded { logger.info("revocations loaded", metadata: ["count": "\(counts.values.reduce(0, +))"]) }
        areLoaded(loading)
        onEvent(.reloaded)
        return position
    }

    /// Loads the revocations of the tenants that reloads have added.
    private func loadAdded() async throws(StoreError) {
        let loading = Array(tenants.unloaded)
        load = RevocationLoad()
        defer { load = nil }
        try await store.loadFurtherRevocations(tenants: loading) { [weak self] records in await self?.loaded(records) }
        replica.add(load ?? RevocationLoad(), of: loading, at: Clock.unix())
        await distributeSets(Set(loading))
        areLoaded(loading)
    }

    private func areLoaded(_ loading: [String]) {
        tenants.loaded(loading)
        if tenants.areLoaded { waits.loaded() }
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
            // The loops' staleness counts from the last contact, which they may not have got yet.
            await distributeSets([])
        }
        // Keeps failures that come at once from spinning.
        try? await Task.sleep(for: .milliseconds(Int64.random(in: 100...300)))
    }

    private func storeRecovered() {
        guard isDown else { return }
        isDown = false
        wakeMaintenance()
        logger.notice("revocations are followed again")
    }

    // MARK: Keeping the store up to date

    /// Writes what the store lacks, and removes expired revocations.
    private func maintainStore() async {
        while !Task.isCancelled {
            await storeSignOuts()
            await restoreLost()
            await removeExpired()
            let pause = unstored.pause ?? housekeeping.rest(at: Clock.monotonic())
            let rest = Task { _ = try? await Task.sleep(for: pause) }
            maintenancePause = rest
            await withTaskCancellationHandler {
                await rest.value
            } onCancel: {
                rest.cancel()
            }
        }
    }

    /// The store is back: pending writes start now.
    private func wakeMaintenance() {
        unstored.worked()
        maintenancePause?.cancel()
    }

    private func storeSignOuts() async {
        do throws(StoreError) {
            while let batch = unstored.revocations() {
                let records = try await store.revoke(batch.revocations)
                await apply(records, inOrder: false)
                for group in batch.groups { try await onRevoked(group.revocations, group.isSignOut) }
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
                try await store.removeExpiredRevocations(tenants: tenants.names)
            } catch {
                logger.warning("expired revocations could not be removed", metadata: ["reason": "\(error)"])
            }
        }
        if due.memory { replica.removeExpired(at: Clock.unix()) }
    }

    // MARK: Revoking

    /// Revokes. When this returns, the revocations are in the store and in force on every loop of this instance, and
    /// what others are told of them is in the store too.
    ///
    /// - Parameter isReported: Whether others have to be told of it; false for whoever tells them.
    /// - Throws: If it is to be repeated: the revocations may be in force, but others are not told.
    public func revoke(
        _ revocations: [Revocation],
        isReported: Bool = true
    ) async throws(StoreError) -> [RevocationRecord] {
        let records = try await store.revoke(revocations)
        await apply(records, inOrder: false)
        if isReported { try await onRevoked(revocations, false) }
        return records
    }

    /// Withdraws revocations.
    ///
    /// - Returns: Those that were in force.
    public func withdraw(_ targets: [RevocationTarget], tenant: String) async throws(StoreError) -> [RevocationRecord] {
        let records = try await store.withdraw(targets, tenant: tenant)
        await apply(records, inOrder: false)
        return records
    }

    /// Revokes on this instance at once, with or without the store; the write is retried until it succeeds. Others are
    /// told once it has.
    ///
    /// - Parameters:
    ///   - revocations: Made together.
    ///   - isSignOut: Whether somebody has signed out.
    /// - Returns: Whether the revocations are in the store, and what others are told of them.
    public func revokeImmediately(_ revocations: [Revocation], isSignOut: Bool = true) async -> Bool {
        var changed: Set<String> = []
        let now = Clock.unix()
        for revocation in revocations where replica.applyProvisionally(revocation, at: now) {
            changed.insert(revocation.tenant)
        }
        await distributeSets(changed)
        do throws(StoreError) {
            _ = try await revoke(revocations, isReported: false)
            try await onRevoked(revocations, isSignOut)
            return true
        } catch {
            let isFirst = unstored.count == 0
            let dropped = unstored.add(revocations, isSignOut: isSignOut)
            if isFirst { maintenancePause?.cancel() }
            logger.error(
                "a sign-out is in force here, but not stored yet",
                metadata: ["reason": "\(error)", "waiting": "\(unstored.count)", "dropped": "\(dropped)"]
            )
            return false
        }
    }

    /// Whether a token, its session, its subject or its tenant is revoked, as far as this instance knows.
    public func isRevoked(_ principal: Principal, tenant: String) -> Bool {
        replica.sets[tenant]?.isRevoked(RevocationMarks(principal), at: Clock.unix()) ?? false
    }

    /// A tenant's present revocations, to check many tokens.
    public func set(ofTenant tenant: String) -> RevocationSet { replica.sets[tenant] ?? RevocationSet() }

    // MARK: Distributing to the loops

    private func apply(_ records: [RevocationRecord], inOrder: Bool) async {
        let changed = replica.apply(records, inOrder: inOrder, at: Clock.unix())
        // A writer waits until every loop has its change, even if the change was followed first.
        if !inOrder || !changed.isEmpty { await distributeSets(changed) }
    }

    /// Distributes the latest contact, as often as the pace requires.
    private func distributeContact() async {
        if contact.isDue(quiet: pace.quiet) { await distributeSets([]) }
    }

    /// Sends the sets before they can change again, so that no loop gets an older set last.
    private func distributeSets(_ changed: Set<String>) async {
        let sets = replica.sets.filter { changed.contains($0.key) }
        contact.isDistributed()
        for done in distribute(RevocationUpdate(sets: sets, contact: contact.last)) { try? await done.get() }
    }

    /// Adds tenants, and loads their revocations.
    ///
    /// - Parameters:
    ///   - tenants: Their names. Present tenants stay, whether or not they are among them.
    ///   - pace: Nil: unchanged. A closer one applies when this returns.
    /// - Returns: Whether they were loaded within the time.
    public func follow(
        _ tenants: [String],
        pace: RevocationPace? = nil,
        within time: TimeAmount,
        on eventLoop: any EventLoop
    ) async -> Bool {
        // The query under way may wait for as long as the previous pace allows.
        let time = time + TimeAmount(self.pace.wait)
        let isCloser = pace.map { $0.wait < self.pace.wait || $0.quiet < self.pace.quiet } ?? false
        if let pace { self.pace = pace }
        let added = tenants.filter { replica.sets[$0] == nil }
        if !added.isEmpty {
            self.tenants.add(added)
            replica.add(tenants: added)
        }
        if !self.tenants.unloaded.isEmpty || isCloser { store.wake() }
        // Including tenants that an earlier reload has failed to load.
        if !self.tenants.unloaded.isDisjoint(with: tenants) { await loaded(within: time, on: eventLoop) }
        guard self.tenants.unloaded.isDisjoint(with: tenants) else { return false }
        // Tenants with a smaller maximum staleness must not find a copy as old as the previous pace allowed.
        if isCloser { await contact(within: time, on: eventLoop) }
        return true
    }

    /// Waits until the loops have got a contact that is newer than this call, but no longer than the time allows.
    private func contact(within time: TimeAmount, on eventLoop: any EventLoop) async {
        await wait(within: time, on: eventLoop) { waits.addForContact(since: Clock.monotonic(), $0) }
    }

    /// Sets a pace that is no closer than the present one.
    public func slowDown(to pace: RevocationPace) { self.pace = pace }

    /// Waits until everything is loaded, but no longer than the time allows.
    public func loaded(within time: TimeAmount, on eventLoop: any EventLoop) async {
        if tenants.areLoaded { return }
        await wait(within: time, on: eventLoop) { waits.addForLoad($0) }
    }

    private func wait(
        within time: TimeAmount,
        on eventLoop: any EventLoop,
        _ register: (EventLoopPromise<Void>) -> Void
    ) async {
        let promise = eventLoop.makePromise(of: Void.self)
        register(promise)
        let timer = eventLoop.scheduleTask(in: time) { promise.succeed() }
        try? await promise.futureResult.get()
        timer.cancel()
    }

    // MARK: For readiness and metrics

    /// Whether everything was loaded at least once.
    public var isLoaded: Bool { tenants.wereLoaded }

    /// Revocations by tenant.
    public var counts: [String: Int] { replica.sets.mapValues(\.count) }

    /// Seconds since the store was last known to have nothing newer; nil: never.
    public var staleness: Double? {
        contact.last.map { Double(Clock.monotonic() - $0) / 1_000_000_000 }
    }
}
