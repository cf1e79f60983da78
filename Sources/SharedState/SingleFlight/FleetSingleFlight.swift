import Store
import Time

/// One key's single flight in one process: look whether another instance has the value, else have the lease, make the
/// call, and tell everybody.
///
/// A value without clock, store and provider: it is told what happened, and says the next step. One step is under way
/// at a time; only ``announced(at:)``, ``renewed(_:at:)``, ``leaseWasLost(_:)``, ``cancelled()``, ``stop(at:)`` and
/// ``timeIsUp(at:)`` may come in between.
///
/// At most one of the lease holders calls, because a holder whose lease was lost, or may have been, does not call
/// without a new one; where it may go alone, without the store, that one counts for this process only. No value is
/// lost: what the call brought stays in `own` until it is in the store or was handed to those who wait in this process;
/// then the lease goes with it until it is written. And no stale one overwrites a newer: it is written only with the
/// lease (the store sees to that), and after a look that found nothing, however often the lease was lost in between.
struct FleetSingleFlight<Value: Sendable & Equatable, Obstacle: FleetFlightObstacle>: Sendable {
    private enum Phase: Sendable {
        case looking(since: MonotonicTime)
        case queued
        case acquiring(since: MonotonicTime)
        /// Another instance has the lease.
        case waiting
        case restingForStore, restingForCall, calling, publishing, finished
    }

    private struct Held {
        let lease: Lease
        /// Until when it is held for certain, whatever becomes of its renewals.
        let until: MonotonicTime
    }

    /// The store has answered nothing lately.
    private struct Absence {
        let since: MonotonicTime
        /// How often it was asked since.
        var tries = 0
        /// Whether this process is on its own until the store answers.
        var isGivenUp = false
    }

    private let rules: FleetFlightRules
    private(set) var endsAt: MonotonicTime
    /// Calls made so far.
    private(set) var calls = 0
    /// Whether it is one of those who may call now.
    private(set) var hasPlace = false
    private var phase: Phase
    private var held: Held?
    /// What this flight's own call came to, while the store does not have it.
    private(set) var own: Value?
    /// Since when another instance is seen to hold the lease; nil once the store has said that it is free.
    private var holderSince: MonotonicTime?
    private var absence: Absence?
    private var isCancelled = false

    init(at now: MonotonicTime, _ rules: FleetFlightRules) {
        self.rules = rules
        endsAt = now + rules.limit
        phase = .looking(since: now)
    }

    var lease: Lease? { held?.lease }

    /// Whether the store was given up.
    var isAlone: Bool { absence?.isGivenUp ?? false }
}

// MARK: - Before the call

extension FleetSingleFlight {
    /// The first step; also what an announcement leads to.
    mutating func look(at now: MonotonicTime) -> Step {
        phase = .looking(since: now)
        return .look
    }

    mutating func looked(_ look: Look, at now: MonotonicTime) -> Step {
        guard case .looking(let since) = phase else { return .none }
        if isCancelled { return finish(.cancelled) }
        switch look {
        case .away: return storeFailed(at: now, asked: since, isAbsent: false)
        case .absent: return storeFailed(at: now, asked: since, isAbsent: true)
        case .found, .failed, .nothing, .obstacle, .superseded: absence = nil
        }
        switch look {
        case .found(let value): return finish(.value(value))
        // A failure counts less than what this instance has in hand.
        case .failed(let failure): return own == nil ? finish(.value(failure)) : proceed(at: now)
        case .obstacle(let obstacle): return own == nil ? finish(.obstacle(obstacle)) : proceed(at: now)
        case .superseded(let obstacle):
            return own == nil ? finish(.obstacle(obstacle)) : finishWithOwn(isUnpublished: true)
        case .nothing, .away, .absent: return proceed(at: now)
        }
    }

    private mutating func proceed(at now: MonotonicTime) -> Step {
        if let held {
            guard let own else { return call(at: now) }
            phase = .publishing
            return .publish(own, held.lease)
        }
        if let holderSince, now < holderSince + rules.takeOverAfter { return waitForHolder(at: now) }
        return hasPlace ? acquire(at: now) : enqueue()
    }

    private mutating func enqueue() -> Step {
        phase = .queued
        return .enqueue
    }

    /// Its place in line has come.
    mutating func granted(at now: MonotonicTime) -> Step {
        guard case .queued = phase else { return .none }
        hasPlace = true
        // The line may have been long: whoever was alone before it may not be any more.
        return acquire(at: now)
    }

    private mutating func acquire(at now: MonotonicTime) -> Step {
        phase = .acquiring(since: now)
        return .acquire
    }

    mutating func acquired(_ grant: Grant, at now: MonotonicTime) -> Step {
        guard case .acquiring(let since) = phase else { return .none }
        switch grant {
        case .held(let lease):
            absence = nil
            held = Held(lease: lease, until: rules.certainEnd(from: since))
            holderSince = nil
            if isCancelled { return finish(.cancelled) }
            // Whoever had it until now may have left a result.
            return look(at: now)
        case .busy:
            absence = nil
            if isCancelled { return finish(.cancelled) }
            holderSince = holderSince ?? now
            hasPlace = false
            return waitForHolder(at: now)
        case .away: return storeFailed(at: now, asked: since, isAbsent: false)
        case .absent: return storeFailed(at: now, asked: since, isAbsent: true)
        }
    }

    /// The holder announces that it is done. If it died, or its announcement was lost, the lease runs out.
    private mutating func waitForHolder(at now: MonotonicTime) -> Step {
        phase = .waiting
        return .wait(until: now + rules.lookInterval)
    }

    /// - Parameter isAbsent: Whether others have waited for it long enough.
    private mutating func storeFailed(at now: MonotonicTime, asked: MonotonicTime, isAbsent: Bool) -> Step {
        if isCancelled { return finish(.cancelled) }
        if own != nil { return finishWithOwn(isUnpublished: true) }
        var absence = absence ?? Absence(since: asked)
        absence.tries += 1
        let patience = now - absence.since
        if isAbsent || (absence.tries >= rules.triesWithStore && patience >= rules.patienceWithStore),
            holderSince == nil || patience >= rules.patienceWithHolder
        {
            guard rules.goesAlone else { return finish(.obstacle(.storeUnavailable)) }
            absence.isGivenUp = true
            self.absence = absence
            return hasPlace ? call(at: now) : enqueue()
        }
        self.absence = absence
        guard holderSince != nil else { return restForStore(at: now) }
        // It may take long, and others can do without the store.
        hasPlace = false
        phase = .restingForStore
        return .wait(until: now + rules.pauseForStore)
    }

    private mutating func restForStore(at now: MonotonicTime) -> Step {
        phase = .restingForStore
        return .rest(until: now + rules.pauseForStore)
    }

    /// The time to wait or rest is over.
    mutating func rested(at now: MonotonicTime) -> Step {
        switch phase {
        case .waiting, .restingForStore: return now < endsAt ? look(at: now) : timeIsUp(at: now)
        case .restingForCall:
            if isCancelled { return finish(.cancelled) }
            // Another may be calling now.
            return held == nil || isAlone ? look(at: now) : call(at: now)
        case .looking, .queued, .acquiring, .calling, .publishing, .finished: return .none
        }
    }

    /// Another instance said that something has happened to the key.
    mutating func announced(at now: MonotonicTime) -> Step {
        switch phase {
        case .waiting, .restingForStore, .queued: return look(at: now)
        case .looking, .acquiring, .restingForCall, .calling, .publishing, .finished: return .none
        }
    }
}

// MARK: - The call and after

extension FleetSingleFlight {
    private mutating func call(at now: MonotonicTime) -> Step {
        guard hasTimeForCall(at: now) else { return finish(.obstacle(.late)) }
        phase = .calling
        calls += 1
        return .call
    }

    private func hasTimeForCall(at now: MonotonicTime) -> Bool { now + rules.callDuration <= endsAt }

    /// Whether the call may be made now, asked when nothing but the call itself is left to do.
    func mayCall(at now: MonotonicTime) -> Bool {
        guard case .calling = phase else { return false }
        return isAlone || (held.map { now < $0.until } ?? false)
    }

    /// The store answered while the call was prepared, though this process had given it up: whoever else has the lease
    /// comes first.
    mutating func storeIsBack(at now: MonotonicTime) -> Step {
        guard case .calling = phase else { return .none }
        calls -= 1
        absence = nil
        return isCancelled ? finish(.cancelled) : look(at: now)
    }

    /// The call was not made, because the lease is lost or may be.
    mutating func notCalled(at now: MonotonicTime) -> Step {
        guard case .calling = phase else { return .none }
        calls -= 1
        if isCancelled { return finish(.cancelled) }
        if now >= endsAt { return finish(.obstacle(.late)) }
        return held == nil ? look(at: now) : restForStore(at: now)
    }

    mutating func called(_ outcome: CallOutcome, at now: MonotonicTime) -> Step {
        guard case .calling = phase else { return .none }
        if isCancelled { return finish(.cancelled) }
        switch outcome {
        case .value(let value): return settle(value, at: now)
        case .failed(let failure, let mayRetry):
            if mayRetry, calls < rules.mostCalls, hasTimeForCall(at: now + rules.pauseBetweenCalls) {
                phase = .restingForCall
                return .rest(until: now + rules.pauseBetweenCalls)
            }
            return settle(failure, at: now)
        case .obstacle(let obstacle): return finish(.obstacle(obstacle))
        case .cancelled: return finish(.cancelled)
        }
    }

    /// There is something to tell. Without the lease it is kept, and whoever has it now is waited for: if that one
    /// leaves a value, that is what everybody has, and it counts.
    private mutating func settle(_ value: Value, at now: MonotonicTime) -> Step {
        own = value
        guard let held else { return lookWithOwn(at: now) }
        phase = .publishing
        return .publish(value, held.lease)
    }

    private mutating func lookWithOwn(at now: MonotonicTime) -> Step {
        now < endsAt ? look(at: now) : finishWithOwn(isUnpublished: true)
    }

    mutating func published(_ publishing: Publishing, at now: MonotonicTime) -> Step {
        guard case .publishing = phase else { return .none }
        if isCancelled { return finish(.cancelled) }
        switch publishing {
        case .done: return finishWithOwn()
        case .lost:
            held = nil
            return lookWithOwn(at: now)
        case .away, .impossible: return finishWithOwn(isUnpublished: true)
        }
    }

    /// The store has renewed the lease.
    ///
    /// - Parameter asked: When it was asked to.
    mutating func renewed(_ renewed: Lease, at asked: MonotonicTime) {
        guard let known = held, known.lease == renewed else { return }
        held = Held(lease: renewed, until: max(known.until, rules.certainEnd(from: asked)))
    }

    /// The store said that the lease is not held by this flight any more.
    mutating func leaseWasLost(_ lost: Lease) {
        if lease == lost { held = nil }
    }

    /// Nobody may have the value any more. A call under way is let run, for the provider has it already; what it brings
    /// is for nobody.
    mutating func cancelled() -> Step {
        isCancelled = true
        switch phase {
        case .looking, .queued, .acquiring, .waiting, .restingForStore, .restingForCall: return finish(.cancelled)
        case .calling, .publishing, .finished: return .none
        }
    }

    /// At ``endsAt``. What the provider has been asked for, and what it brought, is waited for all the same: neither
    /// takes much longer, and what it brought can be had nowhere else.
    mutating func timeIsUp(at now: MonotonicTime) -> Step {
        let isBetweenCalls: Bool
        switch phase {
        case .calling, .publishing, .finished: return .none
        case .looking, .queued, .acquiring, .waiting, .restingForStore: isBetweenCalls = false
        case .restingForCall: isBetweenCalls = true
        }
        if isCancelled { return finish(.cancelled) }
        if own != nil { return finishWithOwn(isUnpublished: true) }
        if isBetweenCalls { return finish(.obstacle(.timeout)) }
        return finish(.obstacle(absence == nil ? .late : .storeUnavailable))
    }

    /// The process ends: nothing new is begun.
    mutating func stop(at now: MonotonicTime) -> Step {
        endsAt = min(endsAt, now)
        return timeIsUp(at: now)
    }

    private mutating func finishWithOwn(isUnpublished: Bool = false) -> Step {
        guard let own else { return finish(.obstacle(.storeUnavailable)) }
        phase = .finished
        let handedOn = isUnpublished ? lease : nil
        return .finish(Ending(content: .value(own), isOwn: true, isUnpublished: isUnpublished, lease: handedOn))
    }

    private mutating func finish(_ content: Ending.Content) -> Step {
        phase = .finished
        return .finish(Ending(content: content))
    }
}
