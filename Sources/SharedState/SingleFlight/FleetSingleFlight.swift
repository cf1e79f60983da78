import Store
import Time

/// One key's single flight in one process: look into the store for another instance's value; otherwise take the lease,
/// call the provider, and publish.
///
/// A value without clock, store and provider: each event returns the next step. One step is under way at a time; only ``announced(at:)``, ``renewed(_:at:)``, ``leaseWasLost(_:)``, ``cancelled()``, ``stop(at:)`` and
/// ``timeIsUp(at:)`` may come in between.
///
/// - At most one instance calls: a holder whose lease is lost, or may be, does not call without a new one. A call
///   without the store, where the rules allow it, is for this process only.
/// - No value is lost: the call's value stays in `own` until it is in the store, or was handed to the waiting requests
///   of this process; then the lease goes with it until it is written.
/// - No value overwrites a newer one: it is written only with the lease, which the store checks, and after a lookup that
///   found nothing, however often the lease was lost in between.
struct FleetSingleFlight<Value: Sendable & Equatable, Obstacle: FleetFlightObstacle>: Sendable {
    private enum Phase: Sendable {
        case lookingUp(since: MonotonicTime)
        case queued
        case acquiring(since: MonotonicTime)
        /// Another instance holds the lease.
        case waiting
        case pausingForStore, pausingForCall, calling, publishing, finished
    }

    private struct Held {
        let lease: Lease
        /// Until when it is certainly held.
        let until: MonotonicTime
    }

    /// The store does not answer.
    private struct StoreOutage {
        let since: MonotonicTime
        /// The number of failed calls since.
        var tries = 0
        /// Whether the flight goes on without the store until it answers.
        var isGivenUp = false
    }

    private let rules: FleetFlightRules
    private(set) var endsAt: MonotonicTime
    /// Calls made so far.
    private(set) var calls = 0
    /// Whether it may call now.
    private(set) var hasCallSlot = false
    private var phase: Phase
    private var held: Held?
    /// The value of this flight's call, while it is not in the store.
    private(set) var own: Value?
    /// Since when another instance has been seen to hold the lease; nil once this flight has had it.
    private var holderSince: MonotonicTime?
    private var outage: StoreOutage?
    private var isCancelled = false

    init(at now: MonotonicTime, _ rules: FleetFlightRules) {
        self.rules = rules
        endsAt = now + rules.timeLimit
        phase = .lookingUp(since: now)
    }

    var lease: Lease? { held?.lease }

    /// Whether the store was given up.
    var isWithoutStore: Bool { outage?.isGivenUp ?? false }
}

// MARK: - Before the call

extension FleetSingleFlight {
    /// The first step, and the one after an announcement.
    mutating func lookUp(at now: MonotonicTime) -> Step {
        phase = .lookingUp(since: now)
        return .lookUp
    }

    mutating func lookedUp(_ lookup: Lookup, at now: MonotonicTime) -> Step {
        guard case .lookingUp(let since) = phase else { return .none }
        if isCancelled { return finish(.cancelled) }
        switch lookup {
        case .away: return storeFailed(at: now, asked: since, isAbsent: false)
        case .absent: return storeFailed(at: now, asked: since, isAbsent: true)
        case .found, .failed, .nothing, .obstacle, .superseded: outage = nil
        }
        switch lookup {
        case .found(let value): return finish(.value(value))
        // This instance's own value counts more than another's failure.
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
        return hasCallSlot ? acquire(at: now) : enqueue()
    }

    private mutating func enqueue() -> Step {
        phase = .queued
        return .enqueue
    }

    /// The flight has a call slot.
    mutating func granted(at now: MonotonicTime) -> Step {
        guard case .queued = phase else { return .none }
        hasCallSlot = true
        // The store may have come back during the wait.
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
            outage = nil
            held = Held(lease: lease, until: rules.certainEnd(from: since))
            holderSince = nil
            if isCancelled { return finish(.cancelled) }
            // The previous holder may have left a value.
            return lookUp(at: now)
        case .busy:
            outage = nil
            if isCancelled { return finish(.cancelled) }
            holderSince = holderSince ?? now
            hasCallSlot = false
            return waitForHolder(at: now)
        case .away: return storeFailed(at: now, asked: since, isAbsent: false)
        case .absent: return storeFailed(at: now, asked: since, isAbsent: true)
        }
    }

    /// The holder announces its value. If it died, or the announcement is lost, the lease expires.
    private mutating func waitForHolder(at now: MonotonicTime) -> Step {
        phase = .waiting
        return .wait(until: now + rules.lookupInterval)
    }

    /// - Parameter isAbsent: Whether the store has failed others for long enough.
    private mutating func storeFailed(at now: MonotonicTime, asked: MonotonicTime, isAbsent: Bool) -> Step {
        if isCancelled { return finish(.cancelled) }
        if own != nil { return finishWithOwn(isUnpublished: true) }
        var outage = outage ?? StoreOutage(since: asked)
        outage.tries += 1
        let duration = now - outage.since
        if isAbsent || (outage.tries >= rules.storeAttemptLimit && duration >= rules.storeOutageLimit),
            holderSince == nil || duration >= rules.holderOutageLimit
        {
            guard rules.callsWithoutStore else { return finish(.obstacle(.storeUnavailable)) }
            outage.isGivenUp = true
            self.outage = outage
            return hasCallSlot ? call(at: now) : enqueue()
        }
        self.outage = outage
        guard holderSince != nil else { return pauseForStore(at: now) }
        // The outage may be long, and flights that do not need the store can use the slot.
        hasCallSlot = false
        phase = .pausingForStore
        return .wait(until: now + rules.storeRetryDelay)
    }

    private mutating func pauseForStore(at now: MonotonicTime) -> Step {
        phase = .pausingForStore
        return .pause(until: now + rules.storeRetryDelay)
    }

    mutating func pauseEnded(at now: MonotonicTime) -> Step {
        switch phase {
        case .waiting, .pausingForStore: return now < endsAt ? lookUp(at: now) : timeIsUp(at: now)
        case .pausingForCall:
            if isCancelled { return finish(.cancelled) }
            // Without the lease another instance may be calling now.
            return held == nil || isWithoutStore ? lookUp(at: now) : call(at: now)
        case .lookingUp, .queued, .acquiring, .calling, .publishing, .finished: return .none
        }
    }

    /// Another instance has announced a change of the key.
    mutating func announced(at now: MonotonicTime) -> Step {
        switch phase {
        case .waiting, .pausingForStore, .queued: return lookUp(at: now)
        case .lookingUp, .acquiring, .pausingForCall, .calling, .publishing, .finished: return .none
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

    /// Whether the call may be made; to be checked immediately before it.
    func mayCall(at now: MonotonicTime) -> Bool {
        guard case .calling = phase else { return false }
        return isWithoutStore || (held.map { now < $0.until } ?? false)
    }

    /// The store, which was given up, has answered while the call was prepared: another holder of the lease has priority.
    mutating func storeIsBack(at now: MonotonicTime) -> Step {
        guard case .calling = phase else { return .none }
        calls -= 1
        outage = nil
        return isCancelled ? finish(.cancelled) : lookUp(at: now)
    }

    /// The call was not made: the lease is lost, or may be.
    mutating func notCalled(at now: MonotonicTime) -> Step {
        guard case .calling = phase else { return .none }
        calls -= 1
        if isCancelled { return finish(.cancelled) }
        if now >= endsAt { return finish(.obstacle(.late)) }
        return held == nil ? lookUp(at: now) : pauseForStore(at: now)
    }

    mutating func called(_ outcome: CallOutcome, at now: MonotonicTime) -> Step {
        guard case .calling = phase else { return .none }
        if isCancelled { return finish(.cancelled) }
        switch outcome {
        case .value(let value): return settle(value, at: now)
        case .failed(let failure, let mayRetry):
            if mayRetry, calls < rules.callLimit, hasTimeForCall(at: now + rules.callRetryDelay) {
                phase = .pausingForCall
                return .pause(until: now + rules.callRetryDelay)
            }
            return settle(failure, at: now)
        case .obstacle(let obstacle): return finish(.obstacle(obstacle))
        case .cancelled: return finish(.cancelled)
        }
    }

    /// Publishes the value. Without the lease the flight first waits for the present holder, whose value then counts for
    /// all.
    private mutating func settle(_ value: Value, at now: MonotonicTime) -> Step {
        own = value
        guard let held else { return lookWithOwn(at: now) }
        phase = .publishing
        return .publish(value, held.lease)
    }

    private mutating func lookWithOwn(at now: MonotonicTime) -> Step {
        now < endsAt ? lookUp(at: now) : finishWithOwn(isUnpublished: true)
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
    /// - Parameter asked: The time of the request.
    mutating func renewed(_ renewed: Lease, at asked: MonotonicTime) {
        guard let known = held, known.lease == renewed else { return }
        held = Held(lease: renewed, until: max(known.until, rules.certainEnd(from: asked)))
    }

    /// This flight no longer holds the lease.
    mutating func leaseWasLost(_ lost: Lease) {
        if lease == lost { held = nil }
    }

    /// No request may get the value any more. A call under way goes on, but its value is dropped.
    mutating func cancelled() -> Step {
        isCancelled = true
        switch phase {
        case .lookingUp, .queued, .acquiring, .waiting, .pausingForStore, .pausingForCall: return finish(.cancelled)
        case .calling, .publishing, .finished: return .none
        }
    }

    /// At ``endsAt``. A call or write under way goes on: neither takes much longer, and the value cannot be obtained
    /// again.
    mutating func timeIsUp(at now: MonotonicTime) -> Step {
        let isBetweenCalls: Bool
        switch phase {
        case .calling, .publishing, .finished: return .none
        case .lookingUp, .queued, .acquiring, .waiting, .pausingForStore: isBetweenCalls = false
        case .pausingForCall: isBetweenCalls = true
        }
        if isCancelled { return finish(.cancelled) }
        if own != nil { return finishWithOwn(isUnpublished: true) }
        if isBetweenCalls { return finish(.obstacle(.timeout)) }
        return finish(.obstacle(outage == nil ? .late : .storeUnavailable))
    }

    /// The process ends: no new step is begun.
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
