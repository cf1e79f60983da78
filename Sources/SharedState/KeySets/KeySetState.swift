import Time
import Verification

/// Why a decision requests keys.
public enum KeySetReason: Sendable {
    /// There is no set.
    case missing
    /// The set lacks the key that a token names.
    case unknownKey
}

/// The result of a request for keys.
public enum KeySetResult: Sendable, Equatable {
    /// There is a set that the decision may not have used.
    case decideAgain
    /// The keys are the ones that the decision has used.
    case nothingNew
    /// No keys for now.
    case unavailable(retryAfterSeconds: Int)
}

/// The states of one remote key set, none → fresh → due → stale → expired, and of the work on it: idle, in a round,
/// backing off after a failure.
///
/// A value without clock and I/O: each event returns the next action. A *round* is the service's attempt to get a newer
/// set, from the store or the provider; there is one at a time.
struct KeySetState: Sendable {
    /// Identifies a waiting request.
    typealias WaiterID = UInt64

    enum Purpose: Sendable, Equatable {
        /// There is no set, or it is due.
        case routine
        /// A token names a key that the set lacks. Any client can cause that, so such rounds are limited.
        case unknownKey
    }

    /// How a round ended.
    enum Result: Sendable, Equatable {
        /// The provider has sent this set, or confirmed it.
        case fetched(HeldKeySet)
        /// Another instance had fetched it.
        case found(HeldKeySet)
        /// Another instance has fetched for an unknown key within the cooldown.
        case refused
        case failed
    }

    enum Tick: Equatable {
        case begin(Purpose)
        /// The last success is too long ago: the set is dropped.
        case expired
        /// Nothing to do before this monotonic second, unless there is another event.
        case wait(until: Double)
    }

    enum RequestAction: Equatable {
        case result(KeySetResult)
        case wait
        /// Wait, and tick: a round is wanted.
        case tick
    }

    /// What follows from a round or an adopted set.
    struct Settled: Equatable {
        /// Whether the keys have changed.
        var isChanged = false
        var resumed: [WaiterID] = []
        var result = KeySetResult.nothingNew
    }

    struct Held: Sendable {
        var set: HeldKeySet
        /// Monotonic seconds, like the following times.
        var succeededAt: Double
        var dueAt: Double
        var freshUntil: Double
        var expiresAt: Double { succeededAt + longestUse }
    }

    private struct Waiter {
        var id: WaiterID
        var deadline: Double
    }

    /// How long a set is used after the last success, in seconds, like the following durations.
    static let longestUse = 7 * 86_400.0
    /// Between two fetches for an unknown key.
    static let unknownKeyCooldown = 60.0
    /// After another instance was found to have fetched for one within the cooldown.
    static let refusedPause = 10.0
    static let longestBackoff = 300.0
    static let longestWait = 5.0
    /// Times further in the future than this are not trusted.
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
    /// How long a set is fresh, instead of the time in its record.
    private let lifetime: Double?

    /// - Parameter lifetime: Seconds; at most a day counts.
    init(lifetime: Double? = nil) {
        self.lifetime = lifetime.map { min(max($0, 1), KeySetLifetime.longest) }
    }

    func isStale(at now: Double) -> Bool { held.map { now >= $0.freshUntil } ?? false }

    /// The deadline of the oldest waiting request.
    var firstDeadline: Double? { waiters.first?.deadline }
}

// MARK: Events

extension KeySetState {
    /// Time has passed, or there was another event.
    mutating func tick(at now: Double) -> Tick {
        let expiresAt = held?.expiresAt ?? .infinity
        if now >= expiresAt {
            held = nil
            isUnknownKeyWanted = false
            return .expired
        }
        guard round == nil else { return .wait(until: expiresAt) }
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
        return .wait(until: min(routineAt, expiresAt))
    }

    /// A decision lacks keys.
    mutating func requested(_ id: WaiterID, _ reason: KeySetReason, at now: Double) -> RequestAction {
        let isAtRest = round == nil
        if held == nil {
            if isAtRest, let retryAt, now < retryAt { return .result(Self.unavailable(until: retryAt, now)) }
        } else {
            if reason == .missing { return .result(.decideAgain) }
            if isAtRest, !isUnknownKeyWanted, now < unknownKeyAllowedAt { return .result(.nothingNew) }
        }
        guard waiters.count < Self.maximumWaiters else { return .result(.unavailable(retryAfterSeconds: 1)) }
        waiters.append(Waiter(id: id, deadline: now + Self.longestWait))
        guard isAtRest else { return .wait }
        if held != nil { isUnknownKeyWanted = true }
        return .tick
    }

    /// - Returns: The requests whose deadline has passed: their result is ``KeySetResult/unavailable(retryAfterSeconds:)``.
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
            // Nothing was fetched for the key: if the new set lacks it too, it may be requested at once.
            if purpose == .unknownKey, settled.isChanged { unknownKeyAllowedAt = now.monotonic }
            return settled
        case .refused:
            unknownKeyAllowedAt = now.monotonic + Self.refusedPause
            return endedWithoutSet(retryAt: now.monotonic, at: now.monotonic)
        case .failed where purpose == .unknownKey:
            // Forged key IDs must not cause more than the one fetch, least of all from a failing provider.
            return endedWithoutSet(retryAt: now.monotonic, at: now.monotonic)
        case .failed:
            failures += 1
            let ceiling = failures > 9 ? Self.longestBackoff : min(Double(1 << (failures - 1)), Self.longestBackoff)
            let retryAt = now.monotonic + ceiling * random
            self.retryAt = retryAt
            return endedWithoutSet(retryAt: retryAt, at: now.monotonic)
        }
    }

    /// The set was found in the store or on disk without a round: at the start, or by an announcement.
    mutating func adoptedWithoutRound(_ set: HeldKeySet, at now: ClockReading, random: Double) -> Settled {
        guard round != nil else { return succeeded(with: set, at: now, random) }
        // Without new keys, requests go on waiting for the round.
        let isChanged = adopt(set, at: now, random)
        return isChanged
            ? Settled(isChanged: true, resumed: takeWaiters(), result: .decideAgain)
            : Settled()
    }

    private mutating func succeeded(with set: HeldKeySet, at now: ClockReading, _ random: Double) -> Settled {
        let isChanged = adopt(set, at: now, random)
        if !isChanged, isUnknownKeyWanted { return Settled() }
        isUnknownKeyWanted = false
        return Settled(isChanged: isChanged, resumed: takeWaiters(), result: isChanged ? .decideAgain : .nothingNew)
    }

    private mutating func endedWithoutSet(retryAt: Double, at now: Double) -> Settled {
        let result = held == nil ? Self.unavailable(until: retryAt, now) : .nothingNew
        return Settled(resumed: takeWaiters(), result: result)
    }

    private mutating func adopt(_ set: HeldKeySet, at now: ClockReading, _ random: Double) -> Bool {
        let isChanged = held?.set.keys != set.keys
        let record = set.record
        let succeededAt = now.monotonic - max(0, now.unix - record.fetchedAt)
        var fresh = lifetime ?? KeySetLifetime.clamped(record.freshUntil - record.fetchedAt)
        // The age of a set from the future is unknown.
        if record.fetchedAt > now.unix + Self.toleratedSkew { fresh = min(fresh, KeySetLifetime.shortest) }
        held = Held(
            set: set,
            succeededAt: succeededAt,
            // Spreads the fetches of instances that adopted the set at the same moment.
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
