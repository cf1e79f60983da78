import Time
import Verification

/// Why keys are asked for.
public enum KeySetReason: Sendable {
    /// There is no set, and nothing can be decided without one.
    case missing
    /// None of the set's keys is the one that a token names.
    case unknownKey
}

/// What whoever asked for keys is told.
public enum KeySetResult: Sendable, Equatable {
    /// There is a set that the asker may not have seen.
    case decideAgain
    /// The keys are those that the asker has.
    case nothingNew
    /// Nobody knows yet.
    case unavailable(retryAfterSeconds: Int)
}

/// One remote key set's life: nothing → fresh → due → stale → gone, and beside it the work on it: at rest, being
/// fetched, backing off after a failure.
///
/// A value without clock and socket: it is given the time, and says what to do. What it calls a *round* is the runner's
/// whole effort to get a newer set, from the store or from the provider; there is one at a time.
struct KeySetState: Sendable {
    /// Names a waiting asker for the runner.
    typealias WaiterID = UInt64

    enum Purpose: Sendable, Equatable {
        /// There is no set, or it is due.
        case routine
        /// A token names a key that the set does not have: anybody can bring that about, so that such rounds are rare.
        case unknownKey
    }

    /// How a round ended.
    enum Result: Sendable, Equatable {
        /// The provider gave this set, or said that it is as it was.
        case fetched(HeldKeySet)
        /// Another instance had fetched it.
        case found(HeldKeySet)
        /// Another instance has asked for an unknown key only lately.
        case refused
        case failed
    }

    enum Tick: Equatable {
        case begin(Purpose)
        /// The last success is too long ago: the set counts as missing.
        case gone
        /// Nothing to do before this monotonic second, unless something happens.
        case wait(until: Double)
    }

    enum Asked: Equatable {
        case answer(KeySetResult)
        case wait
        /// Wait too, and tick: a round is wanted.
        case tick
    }

    /// What follows from a set that came or did not.
    struct Settled: Equatable {
        /// Whether there are other keys than before.
        var isChanged = false
        var answered: [WaiterID] = []
        var answer = KeySetResult.nothingNew
    }

    struct Held: Sendable {
        var set: HeldKeySet
        /// Monotonic seconds, these and the others.
        var succeededAt: Double
        var dueAt: Double
        var freshUntil: Double
        var goneAt: Double { succeededAt + longestUse }
    }

    private struct Waiter {
        var id: WaiterID
        var deadline: Double
    }

    /// All in seconds. How long a set is used after the provider was last heard of.
    static let longestUse = 7 * 86_400.0
    /// Between two fetches for an unknown key.
    static let unknownKeyCooldown = 60.0
    /// After another instance was found to have asked for one within the cooldown.
    static let refusedPause = 10.0
    static let longestBackoff = 300.0
    static let longestWait = 5.0
    /// Clocks that differ by more than this are not believed.
    static let toleratedSkew = 300.0
    static let maximumWaiters = 4096

    private(set) var held: Held?
    /// The round under way.
    private(set) var round: Purpose?
    /// The monotonic second before which a failed routine is not repeated.
    private var retryAt: Double?
    private(set) var failures = 0
    private var isUnknownKeyWanted = false
    private var unknownKeyAllowedAt = -Double.infinity
    private var waiters: [Waiter] = []
    /// How long a set is fresh, whatever its provider says; nil: as the record has it.
    private let lifetime: Double?

    /// - Parameter lifetime: Seconds; at most a day counts.
    init(lifetime: Double? = nil) {
        self.lifetime = lifetime.map { min(max($0, 1), KeySetLifetime.longest) }
    }

    func isStale(at now: Double) -> Bool { held.map { now >= $0.freshUntil } ?? false }

    /// When the asker who has waited longest is to be told that there is no more waiting.
    var firstDeadline: Double? { waiters.first?.deadline }
}

// MARK: Events

extension KeySetState {
    /// Time has passed, or something has happened.
    mutating func tick(at now: Double) -> Tick {
        let goneAt = held?.goneAt ?? .infinity
        if now >= goneAt {
            held = nil
            isUnknownKeyWanted = false
            return .gone
        }
        guard round == nil else { return .wait(until: goneAt) }
        let routineAt = retryAt ?? held?.dueAt ?? now
        if now >= routineAt {
            isUnknownKeyWanted = false
            round = .routine
            return .begin(.routine)
        }
        if isUnknownKeyWanted {
            isUnknownKeyWanted = false
            unknownKeyAllowedAt = now + Self.unknownKeyCooldown
            round = .unknownKey
            return .begin(.unknownKey)
        }
        return .wait(until: min(routineAt, goneAt))
    }

    /// Someone cannot decide with the keys there are.
    mutating func asked(_ id: WaiterID, _ reason: KeySetReason, at now: Double) -> Asked {
        let isAtRest = round == nil
        if held == nil {
            if isAtRest, let retryAt, now < retryAt { return .answer(Self.unavailable(until: retryAt, now)) }
        } else {
            if reason == .missing { return .answer(.decideAgain) }
            if isAtRest, !isUnknownKeyWanted, now < unknownKeyAllowedAt { return .answer(.nothingNew) }
        }
        guard waiters.count < Self.maximumWaiters else { return .answer(.unavailable(retryAfterSeconds: 1)) }
        waiters.append(Waiter(id: id, deadline: now + Self.longestWait))
        guard isAtRest else { return .wait }
        if held != nil { isUnknownKeyWanted = true }
        return .tick
    }

    /// - Returns: The askers who have waited long enough; to be told ``KeySetResult/unavailable(retryAfterSeconds:)``.
    mutating func waitersOverdue(at now: Double) -> [WaiterID] {
        let count = waiters.firstIndex { $0.deadline > now } ?? waiters.count
        let overdue = waiters[..<count].map(\.id)
        waiters.removeFirst(count)
        return overdue
    }

    /// The round is over.
    ///
    /// - Parameter random: From 0 to 1.
    mutating func finished(_ result: Result, at now: ClockReading, random: Double) -> Settled {
        let purpose = round
        round = nil
        switch result {
        case .fetched(let set):
            return succeeded(with: set, at: now, random)
        case .found(let set):
            let settled = succeeded(with: set, at: now, random)
            // Nothing was fetched for it: if the key is not among the new ones either, it may be asked for at once.
            if purpose == .unknownKey, settled.isChanged { unknownKeyAllowedAt = now.monotonic }
            return settled
        case .refused:
            unknownKeyAllowedAt = now.monotonic + Self.refusedPause
            return fruitless(retryAt: now.monotonic, at: now.monotonic)
        case .failed where purpose == .unknownKey:
            // Nobody's forged key IDs bring about more than the one fetch, least of all from a provider in trouble.
            return fruitless(retryAt: now.monotonic, at: now.monotonic)
        case .failed:
            failures += 1
            let ceiling = failures > 9 ? Self.longestBackoff : min(Double(1 << (failures - 1)), Self.longestBackoff)
            let retryAt = now.monotonic + ceiling * random
            self.retryAt = retryAt
            return fruitless(retryAt: retryAt, at: now.monotonic)
        }
    }

    /// The set was found in the store or on disk without a round: at the start, or because it was announced.
    mutating func heard(_ set: HeldKeySet, at now: ClockReading, random: Double) -> Settled {
        guard round != nil else { return succeeded(with: set, at: now, random) }
        // Who waits for the round goes on waiting for it, if this brings nothing new.
        let isChanged = adopt(set, at: now, random)
        return isChanged
            ? Settled(isChanged: true, answered: takeWaiters(), answer: .decideAgain)
            : Settled()
    }

    private mutating func succeeded(with set: HeldKeySet, at now: ClockReading, _ random: Double) -> Settled {
        let isChanged = adopt(set, at: now, random)
        if !isChanged, isUnknownKeyWanted { return Settled() }
        isUnknownKeyWanted = false
        return Settled(isChanged: isChanged, answered: takeWaiters(), answer: isChanged ? .decideAgain : .nothingNew)
    }

    private mutating func fruitless(retryAt: Double, at now: Double) -> Settled {
        let answer = held == nil ? Self.unavailable(until: retryAt, now) : .nothingNew
        return Settled(answered: takeWaiters(), answer: answer)
    }

    private mutating func adopt(_ set: HeldKeySet, at now: ClockReading, _ random: Double) -> Bool {
        let isChanged = held?.set.keys != set.keys
        let record = set.record
        let succeededAt = now.monotonic - max(0, now.unix - record.fetchedAt)
        var fresh = lifetime ?? KeySetLifetime.clamped(record.freshUntil - record.fetchedAt)
        // Nobody knows how old a set is that comes from the future.
        if record.fetchedAt > now.unix + Self.toleratedSkew { fresh = min(fresh, KeySetLifetime.shortest) }
        held = Held(
            set: set,
            succeededAt: succeededAt,
            // Instances that adopted the set at the same moment do not all come for the next one at the same moment.
            dueAt: succeededAt + fresh * (0.75 + 0.1 * random),
            freshUntil: succeededAt + fresh
        )
        failures = 0
        retryAt = nil
        return isChanged
    }

    private mutating func takeWaiters() -> [WaiterID] {
        defer { waiters = [] }
        return waiters.map(\.id)
    }

    private static func unavailable(until moment: Double, _ now: Double) -> KeySetResult {
        .unavailable(retryAfterSeconds: max(1, Int((moment - now).rounded(.up))))
    }
}
