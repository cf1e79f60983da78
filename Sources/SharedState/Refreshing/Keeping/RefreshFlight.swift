import Store
import Tenants
import Time

/// One session's refresh in one process: look whether another instance has done it, else have the lease, call, and tell
/// everybody.
///
/// A value without clock, store and provider: it is told what happened, and says the next step. One step is under way
/// at a time; only ``announced(at:)``, ``renewed(_:at:)``, ``leaseWasLost(_:)``, ``revoked()``, ``stop(at:)`` and
/// ``timeIsUp(at:)`` may come in between.
///
/// At most one of the lease holders calls, because a holder whose lease was lost, or may have been, does not call
/// without a new one; where it may refresh alone, without the store, that one counts for this process only. No result is lost: what the provider gave stays in ``own`` until it is in the store or was handed
/// to the askers of this process; then the lease goes with it until it is written. And no stale one overwrites a newer:
/// it is written only with the lease (the store sees to that), and after a look that found nothing, however often the
/// lease was lost in between.
struct RefreshFlight: Sendable {
    private enum Phase: Sendable {
        case looking, queued, acquiring, waiting, restingForStore, restingForCall, calling, checking, publishing,
            finished
    }

    /// Nanoseconds, all of these. How long the lease is held without a renewal.
    static let leaseDuration: UInt64 = 3_000_000_000
    /// Clocks may go at different speeds, and words take time.
    static let leaseMargin: UInt64 = 250_000_000
    /// How long the store may be away before an instance goes alone: a short pause of it must not lead two to present
    /// one refresh token.
    static let patienceWithStore: UInt64 = 2_000_000_000
    /// How often it must have been asked in vain: one question that gets no answer in time says little.
    static let triesWithStore = 2
    /// How long a flight that will not go alone waits for the store if another instance was seen to have the lease: that
    /// one may have a result by then, or its lease has run out.
    static let patienceWithHolder: UInt64 = patienceWithStore + leaseDuration + leaseMargin
    static let pauseForStore: UInt64 = 250_000_000
    static let pauseBetweenCalls: UInt64 = 1_000_000_000
    /// The longest that all of it takes.
    static let limit: UInt64 = 60_000_000_000
    static let mostCalls = 3
    /// The longest that one call takes: with less time left none is begun.
    static let callDuration: UInt64 = 10_000_000_000

    private(set) var endsAt: MonotonicTime
    private(set) var lease: Lease?
    /// Until when the lease is held for certain, whatever becomes of its renewals.
    private var leaseUntil = MonotonicTime.distantPast
    /// What this flight's own call came to, while the store does not have it.
    private(set) var own: RefreshRecord?
    /// Calls made so far.
    private(set) var calls = 0
    private var phase = Phase.looking
    /// Whether another instance was seen to hold the lease, since when the store has not said that it is free.
    private var hasSeenHolder = false
    /// Whether the store was given up, and this process is on its own; until the store answers.
    private(set) var isAlone = false
    private var isRevoked = false
    /// Whether it is one of those who may call now.
    private(set) var hasPlace = false
    /// Since when the store has answered nothing; nil while it answers.
    private var awaySince: MonotonicTime?
    /// How often it was asked since.
    private var awayTries = 0
    private var askedAt: MonotonicTime
    private let withoutStore: RefreshWithoutStore

    init(at now: MonotonicTime, withoutStore: RefreshWithoutStore) {
        self.withoutStore = withoutStore
        endsAt = now + Self.limit
        askedAt = now
    }

    var isFinished: Bool {
        if case .finished = phase { true } else { false }
    }
}

// MARK: - Before the call

extension RefreshFlight {
    /// The first step; also what a word from elsewhere leads to.
    mutating func look(at now: MonotonicTime) -> Step {
        phase = .looking
        askedAt = now
        return .look
    }

    mutating func looked(_ look: Look, at now: MonotonicTime) -> Step {
        guard case .looking = phase else { return .none }
        if isRevoked { return finish(.revoked) }
        if look != .away, look != .absent { storeAnswered() }
        switch look {
        case .found(let record):
            // A failure that may pass counts less than what this instance has in hand.
            if own != nil, case .unavailable = record.content { return proceed(at: now) }
            return finish(.record(record))
        case .nothing: return proceed(at: now)
        case .closed: return own == nil ? finish(.trouble(.storeUnavailable)) : finishWithOwn(isUnpublished: true)
        case .spent: return own == nil ? finish(.trouble(.spentToken)) : proceed(at: now)
        case .justRefreshed: return own == nil ? finish(.trouble(.justRefreshed)) : finishWithOwn(isUnpublished: true)
        case .away: return storeFailed(at: now, isAbsent: false)
        case .absent: return storeFailed(at: now, isAbsent: true)
        }
    }

    private mutating func proceed(at now: MonotonicTime) -> Step {
        guard let lease else { return hasPlace ? acquire(at: now) : enqueue() }
        if let own {
            phase = .publishing
            return .publish(own, lease)
        }
        return call(at: now)
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
        phase = .acquiring
        askedAt = now
        return .acquire
    }

    mutating func acquired(_ grant: Grant, at now: MonotonicTime) -> Step {
        guard case .acquiring = phase else { return .none }
        if grant != .away, grant != .absent { storeAnswered() }
        switch grant {
        case .held(let lease):
            self.lease = lease
            leaseUntil = Self.certain(from: askedAt)
            hasSeenHolder = false
            if isRevoked { return finish(.revoked) }
            // Whoever had it until now may have left a result.
            return look(at: now)
        case .busy:
            if isRevoked { return finish(.revoked) }
            hasSeenHolder = true
            hasPlace = false
            phase = .waiting
            // The holder tells when it is done. If it died, or its word was lost, the lease runs out.
            return .wait(until: now + Self.leaseDuration + Self.leaseMargin)
        case .away: return storeFailed(at: now, isAbsent: false)
        case .absent: return storeFailed(at: now, isAbsent: true)
        }
    }

    private mutating func storeAnswered() {
        awaySince = nil
        awayTries = 0
        isAlone = false
    }

    /// - Parameter isAbsent: Whether others have waited for it long enough.
    private mutating func storeFailed(at now: MonotonicTime, isAbsent: Bool) -> Step {
        if isRevoked { return finish(.revoked) }
        if own != nil { return finishWithOwn(isUnpublished: true) }
        let since = awaySince ?? askedAt
        awaySince = since
        awayTries += 1
        let isGivenUp =
            isAbsent || (awayTries >= Self.triesWithStore && now - since >= Self.patienceWithStore)
        switch withoutStore {
        case .alone:
            if isGivenUp, !hasSeenHolder {
                isAlone = true
                return hasPlace ? call(at: now) : enqueue()
            }
        case .refuse:
            if isGivenUp, !hasSeenHolder || now - since >= Self.patienceWithHolder {
                return finish(.trouble(.storeUnavailable))
            }
        }
        guard hasSeenHolder else { return restForStore(at: now) }
        // It may take long, and others can do without the store.
        hasPlace = false
        phase = .restingForStore
        return .wait(until: now + Self.pauseForStore)
    }

    private mutating func restForStore(at now: MonotonicTime) -> Step {
        phase = .restingForStore
        return .rest(until: now + Self.pauseForStore)
    }

    /// The time to wait or rest is over.
    mutating func rested(at now: MonotonicTime) -> Step {
        switch phase {
        case .waiting, .restingForStore: return look(at: now)
        case .restingForCall:
            if isRevoked { return finish(.revoked) }
            // Another may be calling now.
            return lease == nil || isAlone ? look(at: now) : call(at: now)
        case .looking, .queued, .acquiring, .calling, .checking, .publishing, .finished: return .none
        }
    }

    /// Another instance said that something has happened to the session.
    mutating func announced(at now: MonotonicTime) -> Step {
        switch phase {
        case .waiting, .restingForStore, .queued: return look(at: now)
        case .looking, .acquiring, .restingForCall, .calling, .checking, .publishing, .finished: return .none
        }
    }
}

// MARK: - The call and after

extension RefreshFlight {
    private mutating func call(at now: MonotonicTime) -> Step {
        guard hasTimeForCall(at: now) else { return finish(.trouble(.late)) }
        phase = .calling
        calls += 1
        return .call
    }

    private func hasTimeForCall(at now: MonotonicTime) -> Bool { now + Self.callDuration <= endsAt }

    /// Whether the call may be made now, asked when nothing but the call itself is left to do.
    func mayCall(at now: MonotonicTime) -> Bool {
        guard case .calling = phase else { return false }
        return isAlone || (lease != nil && now < leaseUntil)
    }

    /// The store answered when the refresh token was read from it, though this process had given it up: whoever else
    /// has the lease comes first.
    mutating func storeIsBack(at now: MonotonicTime) -> Step {
        guard case .calling = phase else { return .none }
        calls -= 1
        storeAnswered()
        return isRevoked ? finish(.revoked) : look(at: now)
    }

    /// The call was not made, because the lease is lost or may be.
    mutating func notCalled(at now: MonotonicTime) -> Step {
        guard case .calling = phase else { return .none }
        calls -= 1
        if isRevoked { return finish(.revoked) }
        if now >= endsAt { return finish(.trouble(.late)) }
        return lease == nil ? look(at: now) : restForStore(at: now)
    }

    /// - Parameter failure: Makes a record of what cannot be mended.
    mutating func called(
        _ result: RefreshCallResult,
        at now: MonotonicTime,
        failure: (RefreshRecord.Content) -> RefreshRecord
    ) -> Step {
        guard case .calling = phase else { return .none }
        switch result {
        case .tokens(let tokens):
            phase = .checking
            return .check(tokens)
        case .refused:
            return isRevoked ? finish(.revoked) : settle(failure(.refused(.refused)), at: now)
        case .failed(let trouble):
            if isRevoked { return finish(.revoked) }
            if result.mayRetry, calls < Self.mostCalls, hasTimeForCall(at: now + Self.pauseBetweenCalls) {
                phase = .restingForCall
                return .rest(until: now + Self.pauseBetweenCalls)
            }
            return settle(failure(.unavailable(trouble)), at: now)
        }
    }

    mutating func checked(
        _ check: Check,
        at now: MonotonicTime,
        failure: (RefreshRecord.Content) -> RefreshRecord
    ) -> Step {
        guard case .checking = phase else { return .none }
        if isRevoked { return finish(.revoked) }
        switch check {
        case .good(let record): return settle(record, at: now)
        case .bad(let trouble): return settle(failure(.unavailable(trouble)), at: now)
        case .revoked: return finish(.revoked)
        }
    }

    /// There is something to tell. Without the lease it is kept, and whoever has it now is waited for: if that one
    /// leaves a result, that is what everybody has, and it counts.
    private mutating func settle(_ record: RefreshRecord, at now: MonotonicTime) -> Step {
        own = record
        if let lease {
            phase = .publishing
            return .publish(record, lease)
        }
        return lookWithOwn(at: now)
    }

    private mutating func lookWithOwn(at now: MonotonicTime) -> Step {
        now < endsAt ? look(at: now) : finishWithOwn(isUnpublished: true)
    }

    mutating func published(_ publishing: Publishing, at now: MonotonicTime) -> Step {
        guard case .publishing = phase else { return .none }
        if isRevoked { return finish(.revoked) }
        switch publishing {
        case .done: return finishWithOwn()
        case .lost:
            lease = nil
            return lookWithOwn(at: now)
        case .away, .impossible: return finishWithOwn(isUnpublished: true)
        }
    }

    /// The store has renewed the lease.
    ///
    /// - Parameter asked: When it was asked to.
    mutating func renewed(_ renewed: Lease, at asked: MonotonicTime) {
        if lease == renewed { leaseUntil = max(leaseUntil, Self.certain(from: asked)) }
    }

    private static func certain(from asked: MonotonicTime) -> MonotonicTime { asked + leaseDuration - leaseMargin }

    /// The store said that the lease is not held by this flight any more.
    mutating func leaseWasLost(_ lost: Lease) {
        if lease == lost { lease = nil }
    }

    /// The session was revoked. A call under way is let run, for the provider has it already; what it brings is for
    /// nobody.
    mutating func revoked() -> Step {
        isRevoked = true
        switch phase {
        case .looking, .queued, .acquiring, .waiting, .restingForStore, .restingForCall: return finish(.revoked)
        case .calling, .checking, .publishing, .finished: return .none
        }
    }

    /// At ``endsAt``. What the provider has been asked for, and what it brought, is waited for all the same: neither
    /// takes much longer, and a refresh token that rotated can be had nowhere else.
    mutating func timeIsUp(at now: MonotonicTime) -> Step {
        switch phase {
        case .calling, .checking, .publishing, .finished: return .none
        case .looking, .queued, .acquiring, .waiting, .restingForStore, .restingForCall: break
        }
        if isRevoked { return finish(.revoked) }
        if own != nil { return finishWithOwn(isUnpublished: true) }
        if case .restingForCall = phase { return finish(.trouble(.timeout)) }
        return finish(.trouble(awaySince == nil ? .late : .storeUnavailable))
    }

    /// The process ends: nothing new is begun.
    mutating func stop(at now: MonotonicTime) -> Step {
        endsAt = min(endsAt, now)
        return timeIsUp(at: now)
    }

    private mutating func finishWithOwn(isUnpublished: Bool = false) -> Step {
        guard let own else { return finish(.trouble(.storeUnavailable)) }
        phase = .finished
        let handedOn = isUnpublished ? lease : nil
        return .finish(Ending(content: .record(own), isOwn: true, isUnpublished: isUnpublished, lease: handedOn))
    }

    private mutating func finish(_ content: Ending.Content) -> Step {
        phase = .finished
        return .finish(Ending(content: content))
    }
}
