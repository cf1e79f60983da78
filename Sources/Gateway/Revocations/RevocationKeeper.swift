import Logging
import NIOCore
import Store

/// What the event loops are told of revocations.
struct RevocationUpdate: Sendable {
    /// By the tenant's name; those that did not change are left out.
    var sets: [String: RevocationSet]
    /// When the store was last known to have nothing newer, in monotonic nanoseconds; nil: never.
    var contact: UInt64?
}

/// Keeps this instance's revocations the same as the store's: loads them whole, follows the changes, and hands every new
/// set to the event loops. One task runs it; whoever revokes asks it.
actor RevocationKeeper {
    /// Puts an update on its way to all loops, in the order of the calls; done when each has it in force.
    typealias Distribute = @Sendable (RevocationUpdate) -> [EventLoopFuture<Void>]

    /// How long the store waits for news before it says that there is none.
    private static let patience = Duration.milliseconds(250)
    /// Revocations that the store has not taken yet and that are tried again.
    private static let mostPending = 10_000
    private static let pendingBatch = 256

    private let store: any Store
    private let tenants: [String]
    private let logger: Logger
    private let distribute: Distribute
    /// Told of each word that other parts wait for. Must not take long.
    private let announced: @Sendable (Announcement) -> Void
    private var book: RevocationBook
    private var load: RevocationLoad?
    private var contact: UInt64?
    private var pending: [Revocation] = []
    private var housekeeping: Housekeeping
    private var isDown = false
    private var waitingForLoad: [EventLoopPromise<Void>] = []
    /// Whether everything was loaded at least once.
    private(set) var isLoaded = false

    init(
        store: any Store,
        tenants: [String],
        logger: Logger,
        distribute: @escaping Distribute,
        announced: @escaping @Sendable (Announcement) -> Void
    ) {
        self.store = store
        self.tenants = tenants
        self.logger = logger
        self.distribute = distribute
        self.announced = announced
        book = RevocationBook(tenants: tenants)
        housekeeping = Housekeeping(now: Clock.monotonic())
    }

    // MARK: Following the store

    /// Loads and follows until the task is cancelled. While the store is away, what is known here stays in force.
    func run() async {
        var position: StorePosition?
        while !Task.isCancelled {
            do throws(StoreError) {
                if let known = position {
                    position = try await follow(known)
                } else {
                    position = try await loadAll()
                }
                await cameBack()
            } catch {
                await failed(error)
            }
        }
    }

    /// - Returns: Where to go on; nil if everything has to be loaded again.
    private func follow(_ position: StorePosition) async throws(StoreError) -> StorePosition? {
        let asked = Clock.monotonic()
        switch try await store.news(after: position, waiting: Self.patience) {
        case .missed:
            logger.notice("the store's history does not reach back far enough; loading all revocations again")
            return nil
        case .changes(let records, let announcements, let next):
            contact = asked
            await take(records, inOrder: true)
            announcements.forEach(announced)
            return next
        }
    }

    private func loadAll() async throws(StoreError) -> StorePosition {
        let asked = Clock.monotonic()
        load = RevocationLoad()
        defer { load = nil }
        let position = try await store.loadRevocations(tenants: tenants) { [weak self] records in
            await self?.loaded(records)
        }
        let lost = book.replace(with: load ?? RevocationLoad(), at: Clock.unix())
        if !lost.isEmpty {
            logger.warning(
                "the store has lost revocations that are in force here; putting them back",
                metadata: ["count": "\(lost.count)"]
            )
            try await store.restore(lost)
        }
        contact = asked
        await hand(Set(tenants))
        if !isLoaded { logger.info("revocations loaded", metadata: ["count": "\(counts.values.reduce(0, +))"]) }
        isLoaded = true
        for waiting in waitingForLoad { waiting.succeed() }
        waitingForLoad = []
        return position
    }

    private func loaded(_ records: [RevocationRecord]) { load?.add(records) }

    private func failed(_ error: StoreError) async {
        if Task.isCancelled { return }
        if !isDown {
            isDown = true
            logger.error(
                "revocations cannot be followed; what is known here stays in force",
                metadata: ["error": "\(error)"]
            )
        }
        // The store has waited already where waiting helps; this keeps a failure that comes at once from spinning.
        try? await Task.sleep(for: .milliseconds(Int64.random(in: 100...300)))
    }

    private func cameBack() async {
        if isDown {
            isDown = false
            logger.notice("revocations are followed again")
        }
        await storePending()
        await keepHouse()
    }

    private func keepHouse() async {
        let due = housekeeping.due(at: Clock.monotonic())
        if due.store {
            do throws(StoreError) {
                try await store.removeExpiredRevocations(tenants: tenants)
            } catch {
                logger.warning("expired revocations could not be removed", metadata: ["error": "\(error)"])
            }
        }
        if due.memory { book.removeExpired(at: Clock.unix()) }
    }

    // MARK: Revoking

    /// Revokes. When this returns, the store has it and every loop of this instance refuses.
    func revoke(_ revocations: [Revocation]) async throws(StoreError) -> [RevocationRecord] {
        let records = try await store.revoke(revocations)
        await take(records, inOrder: false)
        return records
    }

    /// Takes revocations back.
    ///
    /// - Returns: Those that were in force.
    func withdraw(_ targets: [RevocationTarget], tenant: String) async throws(StoreError) -> [RevocationRecord] {
        let records = try await store.withdraw(targets, tenant: tenant)
        await take(records, inOrder: false)
        return records
    }

    /// Revokes here and now whatever the store says; what it does not take is tried again until it does.
    func revokeAnyway(_ revocations: [Revocation]) async {
        var changed: Set<String> = []
        for revocation in revocations where book.applyProvisionally(revocation) { changed.insert(revocation.tenant) }
        await hand(changed)
        do throws(StoreError) {
            _ = try await revoke(revocations)
        } catch {
            logger.error(
                "a sign-out is in force here, but not stored yet",
                metadata: ["error": "\(error)", "waiting": "\(pending.count + revocations.count)"]
            )
            pending += revocations
            if pending.count > Self.mostPending { pending.removeFirst(pending.count - Self.mostPending) }
        }
    }

    private func storePending() async {
        while !pending.isEmpty {
            let batch = Array(pending.prefix(Self.pendingBatch))
            do throws(StoreError) {
                _ = try await revoke(batch)
            } catch {
                return
            }
            // More may have come meanwhile, behind these.
            pending.removeFirst(min(batch.count, pending.count))
        }
    }

    // MARK: Telling the loops

    private func take(_ records: [RevocationRecord], inOrder: Bool) async {
        await hand(book.apply(records, inOrder: inOrder, at: Clock.unix()))
    }

    /// The sets are put on their way before anything else can change them, so that no loop gets an older one last.
    private func hand(_ changed: Set<String>) async {
        let sets = book.sets.filter { changed.contains($0.key) }
        for done in distribute(RevocationUpdate(sets: sets, contact: contact)) { try? await done.get() }
    }

    /// Waits until everything was loaded for the first time, but no longer than the time allows.
    func loaded(within time: TimeAmount, on eventLoop: any EventLoop) async {
        if isLoaded { return }
        let loaded = eventLoop.makePromise(of: Void.self)
        waitingForLoad.append(loaded)
        let timer = eventLoop.scheduleTask(in: time) { loaded.succeed() }
        try? await loaded.futureResult.get()
        timer.cancel()
    }

    // MARK: For metrics

    /// By tenant.
    var counts: [String: Int] { book.sets.mapValues(\.count) }

    /// Seconds since the store was last known to have nothing newer; nil: never.
    var staleness: Double? {
        contact.map { Double(Clock.monotonic() &- $0) / 1_000_000_000 }
    }
}

/// When to clear away what has expired: in the store about once a minute, somebody of the fleet; here less often, for it
/// takes a walk through everything.
private struct Housekeeping {
    private static let storeInterval: UInt64 = 60_000_000_000
    private static let memoryInterval: UInt64 = 600_000_000_000

    private var nextStore: UInt64
    private var nextMemory: UInt64

    init(now: UInt64) {
        nextStore = now + UInt64.random(in: 0...Self.storeInterval)
        nextMemory = now + Self.memoryInterval
    }

    mutating func due(at now: UInt64) -> (store: Bool, memory: Bool) {
        let due = (store: now >= nextStore, memory: now >= nextMemory)
        if due.store { nextStore = now + Self.storeInterval }
        if due.memory { nextMemory = now + Self.memoryInterval }
        return due
    }
}
