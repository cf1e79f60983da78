import IdentityProvider
import Logging
public import Store
import Synchronization
import Tenants
import Time
import Verification

/// Deletes accounts: puts each deletion into the store before anything else, and carries its steps out until all are
/// done, on whichever instance claims it.
public final class DeletionService: Sendable {
    /// One tenant's part of it.
    struct Participant: Sendable {
        let scope: String
        let steps: any DeletionSteps
    }

    /// How many an instance works on at a time.
    static let mostAtOnce = 16
    /// How many places of a queue it looks at in a tick.
    static let mostLookedAt = 64
    /// Seconds between two looks at what is over, and two counts of what is not.
    private static let upkeep = 15.0
    /// Seconds between two warnings about the same tenant and step.
    private static let quiet = 600.0
    /// Seconds until a deletion is looked at again that cannot be read, maybe because a later version has written it.
    private static let unreadableDelay = 3600.0
    /// How often a change is retried after others got in first.
    private static let mostTries = 16

    private struct Progress: Sendable {
        /// The last place looked at, where the next tick goes on; nil for the beginning.
        var cursor: String?
        var nextUpkeep = UnixTime(0)
        /// When a tenant's step was last warned about.
        var warned: [String: UnixTime] = [:]
    }

    private let records: DeletionRecords
    private let participants: [String: Participant]
    private let counts: DeletionCounts
    private let logger: Logger
    private let now: @Sendable () -> UnixTime
    private let jitter: @Sendable () -> Double
    private let progress = Mutex(Progress())

    /// - Parameters:
    ///   - participants: By the tenant's name.
    ///   - most: How many deletions are kept.
    ///   - jitter: 0 to 1.
    init(
        store: any Store,
        participants: [String: Participant],
        counts: DeletionCounts,
        logger: Logger,
        most: Int = DeletionRecords.most,
        now: @escaping @Sendable () -> UnixTime,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        records = DeletionRecords(store: store, logger: logger, most: most)
        self.participants = participants
        self.counts = counts
        self.logger = logger
        self.now = now
        self.jitter = jitter
    }
}

// MARK: - Asking for it

extension DeletionService {
    /// Begins the deletion of a subject's account, or finds the one that has begun. When this returns, it is as durable
    /// as the store, and unless the store has failed since, the account is gone and its sessions have ended.
    func begin(_ subject: String, ofTenant tenant: String, by request: String) async throws(StoreError) -> Deletion {
        guard let participant = participants[tenant] else { throw .unusable("the tenant has no deletions") }
        for _ in 0..<Self.mostTries {
            let earlier = try await records.latest(ofSubject: subject, in: participant.scope)
            if let found = earlier.stored?.deletion, try await isInForce(found, participant) { return found }
            let now = now()
            var deletion = Deletion(
                id: Base64URL.encode(RandomBytes.make(16)),
                tenant: tenant,
                scope: participant.scope,
                subject: subject,
                at: now
            )
            _ = deletion.claim(by: Self.newHolder(), at: now)
            switch try await records.add(deletion, insteadOf: earlier.id) {
            case .added(let stored):
                log(.notice, "the deletion of an account has begun", deletion, ["request": .string(request)])
                return await carryOut(stored, participant, only: Deletion.Step.local)
            case .overtaken: continue
            case .full:
                guard try await makeRoom() else { throw .unavailable("there are \(records.most) deletions") }
            }
        }
        throw .unavailable("another deletion of the same account is under way")
    }

    /// The latest deletion of a subject; nil if there is none.
    func find(_ subject: String, ofTenant tenant: String) async throws(StoreError) -> Deletion? {
        guard let participant = participants[tenant] else { return nil }
        return try await records.latest(ofSubject: subject, in: participant.scope).stored?.deletion
    }

    /// - Returns: Nil if there is none with this ID at the tenant, or no longer.
    func deletion(_ id: String, ofTenant tenant: String) async throws(StoreError) -> Deletion? {
        guard Deletion.isID(id), let found = try await records.read(id)?.deletion,
            found.tenant.utf8.elementsEqual(tenant.utf8)
        else { return nil }
        return found
    }

    /// A token was kept for an account that is being deleted, or was: it has to be taken back too.
    func reopen(_ step: Deletion.Step, ofSubject subject: String, tenant: String) async throws(StoreError) {
        guard let participant = participants[tenant] else { return }
        for _ in 0..<Self.mostTries {
            let latest = try await records.latest(ofSubject: subject, in: participant.scope)
            guard let stored = latest.stored else { return }
            var deletion = stored.deletion
            deletion.reopen(step, at: now())
            if try await records.replace(stored, with: deletion) != nil { return }
        }
        throw .unavailable("deletion of another instance changes too often")
    }

    /// An ended deletion is of an account that is gone; a subject that an account hook has given to a new account may be
    /// deleted once more.
    private func isInForce(_ deletion: Deletion, _ participant: Participant) async throws(StoreError) -> Bool {
        guard deletion.endedAt != nil else { return true }
        return try await mappingErrors({ _ in StoreError.unavailable("the account cannot be read") }) {
            () async throws(AccountProblem) in try await !participant.steps.hasAccount(deletion.subject)
        }
    }

    private static func newHolder() -> String { Base64URL.encode(RandomBytes.make(9)) }
}

// MARK: - Operators

extension DeletionService {
    /// Deletions in the order of their IDs.
    ///
    /// - Parameters:
    ///   - id: The last one of the previous page; nil for the first page.
    public func deletions(after id: String?, limit: Int) async throws(StoreError) -> [Deletion] {
        try await records.page(after: id, limit: limit)
    }

    /// - Returns: Nil if there is none with this ID.
    public func deletion(_ id: String) async throws(StoreError) -> Deletion? {
        Deletion.isID(id) ? try await records.read(id)?.deletion : nil
    }
}

// MARK: - Carrying it out

extension DeletionService {
    /// Works on what is due, and returns when that is done or has failed: to be called about once a second.
    public func work() async {
        do throws(StoreError) {
            let due = try await due()
            await withTaskGroup(of: Void.self) { group in
                for place in due { group.addTask { await self.work(on: place) } }
            }
            try await keepUp()
        } catch {
            logger.debug("deletions cannot be read", metadata: ["reason": "\(error)"])
        }
    }

    /// Those of the tenants here. Others are left to instances that have theirs.
    private func due() async throws(StoreError) -> [DeletionRecords.Place] {
        let now = now()
        let cursor = progress.withLock { $0.cursor }
        let places = try await records.places(
            in: DeletionRecords.waiting,
            after: cursor,
            limit: Self.mostLookedAt
        )
        let due = places.filter { $0.time <= now }
        let ours = due.filter { participants[$0.tenant] != nil }.prefix(Self.mostAtOnce)
        // Past what is left to others, and past what is done now and has another place then.
        let last = ours.count == Self.mostAtOnce ? ours.last : due.last
        let isMore = due.count == Self.mostLookedAt || ours.count == Self.mostAtOnce
        progress.withLock { $0.cursor = isMore ? last?.name : nil }
        return Array(ours)
    }

    private func work(on place: DeletionRecords.Place) async {
        guard let participant = participants[place.tenant] else { return }
        do throws(StoreError) {
            guard let stored = try await records.read(place.id) else {
                return try await records.discard(place.name, in: DeletionRecords.waiting)
            }
            var deletion = stored.deletion
            guard deletion.claim(by: Self.newHolder(), at: now()) else { return }
            guard let claimed = try await records.replace(stored, with: deletion) else { return }
            _ = await carryOut(claimed, participant, only: Set(Deletion.Step.allCases))
        } catch .garbled(_) {
            try? await records.postpone(place, in: DeletionRecords.waiting, until: now() + Self.unreadableDelay)
        } catch {
            logger.debug("a deletion cannot be worked on", metadata: ["reason": "\(error)"])
        }
    }

    /// Carries out the due steps of a claimed deletion.
    ///
    /// - Returns: How it stands then. If that cannot be written, the steps are carried out again.
    private func carryOut(
        _ stored: DeletionRecords.Stored,
        _ participant: Participant,
        only steps: Set<Deletion.Step>
    ) async -> Deletion {
        var deletion = stored.deletion
        for step in deletion.due(at: now()) where steps.contains(step) {
            let result = await participant.steps.carryOut(step, of: deletion, at: now())
            deletion.record(result, of: step, at: now(), jitter: jitter())
            counts.count(tenant: deletion.tenant, step, result)
            note(result, of: step, deletion)
        }
        if !deletion.isPending { await finish(&deletion, participant) }
        deletion.release(at: now())
        do throws(StoreError) {
            if try await records.replace(stored, with: deletion) == nil {
                try await handBack(stored.deletion)
            } else if deletion.endedAt != nil {
                log(.notice, "the deletion of an account is complete", deletion)
            }
        } catch {
            logger.warning(
                "the progress of a deletion cannot be kept: its steps are repeated",
                metadata: metadata(deletion)
            )
        }
        return deletion
    }

    /// Leaves a deletion that was changed meanwhile: a token was kept that its steps may not have seen, so that they are
    /// carried out again; or another instance has it.
    private func handBack(_ claimed: Deletion) async throws(StoreError) {
        for _ in 0..<Self.mostTries {
            guard let stored = try await records.read(claimed.id) else { return }
            guard let holder = stored.deletion.claim?.holder, holder == claimed.claim?.holder else {
                logger.notice("a deletion was claimed by another instance meanwhile", metadata: metadata(claimed))
                return
            }
            var deletion = stored.deletion
            deletion.release(at: now())
            if try await records.replace(stored, with: deletion) != nil { return }
        }
    }

    private func finish(_ deletion: inout Deletion, _ participant: Participant) async {
        do throws(AccountProblem) {
            try await participant.steps.finish(deletion)
        } catch {
            let now = now()
            deletion.reopen(.account, at: now)
            deletion.record(.failed(DeletionFailure(.storeUnavailable)), of: .account, at: now, jitter: jitter())
        }
    }

    /// Removes what is over, and counts what is not.
    private func keepUp() async throws(StoreError) {
        let now = now()
        let isDue = progress.withLock { progress in
            guard progress.nextUpkeep <= now else { return false }
            progress.nextUpkeep = now + Self.upkeep
            return true
        }
        guard isDue else { return }
        let waiting = try await records.store.entries(
            of: DeletionRecords.waiting,
            after: nil,
            limit: CollectionLimits.page
        )
        counts.setPending(waiting.count)
        let over = try await records.places(in: DeletionRecords.ended, after: nil, limit: Self.mostLookedAt)
        for place in over where place.time <= now {
            do throws(StoreError) {
                guard let stored = try await records.read(place.id) else {
                    try await records.discard(place.name, in: DeletionRecords.ended)
                    continue
                }
                try await records.remove(stored)
            } catch .garbled(_) {
                try await records.postpone(place, in: DeletionRecords.ended, until: now + Self.unreadableDelay)
            }
        }
    }

    /// Removes receipts before their time, the oldest first, where there are as many deletions as are kept.
    ///
    /// - Returns: Whether there is room now.
    private func makeRoom() async throws(StoreError) -> Bool {
        var hasRoom = false
        for place in try await records.places(in: DeletionRecords.ended, after: nil, limit: Self.mostLookedAt) {
            do throws(StoreError) {
                guard let stored = try await records.read(place.id) else { continue }
                try await records.remove(stored)
                hasRoom = true
            } catch .garbled(_) {
                continue
            }
        }
        return hasRoom
    }
}

// MARK: - Log

extension DeletionService {
    /// The audit of what was done, and once in a while what an operator has to do.
    private func note(_ result: Deletion.Result, of step: Deletion.Step, _ deletion: Deletion) {
        switch result {
        case .done:
            log(.notice, "a step of the deletion of an account is done", deletion, ["step": .string(step.rawValue)])
        case .nothingToDo: break
        case .failed(let failure):
            var metadata: Logger.Metadata = [
                "step": .string(step.rawValue), "reason": .string(failure.reason.rawValue),
                "attempts": "\(deletion.attempts(at: step)?.count ?? 0)",
            ]
            metadata["status"] = failure.status.map { "\($0)" }
            metadata["backend"] = failure.tenant.map { .string($0) }
            metadata["remedy"] = failure.remedy.map { .string($0) }
            let isNews = isNews("\(deletion.tenant) \(step.rawValue) \(failure.reason.rawValue)")
            log(isNews ? .warning : .debug, "a step of the deletion of an account is tried again", deletion, metadata)
        }
    }

    private func isNews(_ name: String) -> Bool {
        let now = now()
        return progress.withLock { progress in
            if let last = progress.warned[name], now < last + Self.quiet { return false }
            progress.warned = progress.warned.filter { now < $0.value + Self.quiet }
            progress.warned[name] = now
            return true
        }
    }

    private func log(
        _ level: Logger.Level,
        _ message: Logger.Message,
        _ deletion: Deletion,
        _ further: Logger.Metadata = [:]
    ) {
        logger.log(level: level, message, metadata: metadata(deletion).merging(further) { $1 })
    }

    private func metadata(_ deletion: Deletion) -> Logger.Metadata {
        [
            "tenant": .string(deletion.tenant), "subject": .string(deletion.subject),
            "deletion": .string(deletion.id),
        ]
    }
}
