import Glibc
import Synchronization

/// The theoretical arrival times of all keys that are being counted, one table for all event loops, without locks.
///
/// Sets of eight entries, each of two words: a fingerprint with the number of requests that the store does not know of
/// yet, and the arrival time with a tag of whose it is. A request finds its key by one pass over a set and moves the
/// time on by one exchange. Entries whose time has passed are as good as none. Where a set is full, the one goes that
/// is least ahead of now: a flood of new keys pushes out one another, not the heavy caller who is kept waiting.
///
/// An entry changes hands by an exchange of its fingerprint. Whoever finds another's tag on the time begins anew, and
/// who was about to move the old time fails to. Tags are short: of the keys that take over an entry from another whose
/// time has not passed, one in 2048 has the same. It goes on with the other's time, and is kept waiting for as long as
/// that one would have been; nobody gets more than the limit for it.
package final class ArrivalTable: @unchecked Sendable {
    // What threads share are atomic words at a place that is fixed from `init` to `deinit`.

    private static let countMask: UInt64 = 1 << LimitKey.countBits - 1
    private static let ways = 8
    /// 24 MiB and room for one and a half million keys. The pages come into being when they are first written.
    static let standardSets = 196_608

    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let sets: Int
    private let bytes: Int

    init(sets: Int = ArrivalTable.standardSets) {
        self.sets = sets
        bytes = sets * Self.ways * 16
        let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { preconditionFailure("there is no memory for rate limits") }
        // Zeros, which is what an atomic zero looks like.
        words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: sets * Self.ways * 2)
    }

    deinit { munmap(words, bytes) }

    /// What became of a request.
    package enum Taking: Equatable {
        case taken
        /// - Parameter wait: Microseconds until one may come.
        case refused(wait: UInt64)
    }

    // MARK: Requests

    /// Counts a request, if it may come; one that may not uses up nothing.
    ///
    /// - Parameters:
    ///   - isReserved: Whether the store is to be told of it: ``Allowance/ahead`` holds then, and it is to be settled.
    ///   - now: Unix microseconds.
    package func take(_ key: LimitKey, _ allowance: Allowance, isReserved: Bool = false, at now: UInt64) -> Taking {
        while true {
            let place = place(of: key, at: now)
            if isReserved, let ahead = allowance.ahead {
                switch reserve(key, at: place, ahead: ahead) {
                case .reserved: break
                case .tooMany: return .refused(wait: allowance.interval)
                case .gone: continue
                }
            }
            if let taking = move(key, allowance, at: place, now) {
                if taking != .taken, isReserved { uncount(key, 1, at: place) }
                return taking
            }
            // Its reservation went with the entry.
        }
    }

    /// Takes back what ``take(_:_:isReserved:at:)`` counted.
    package func giveBack(_ key: LimitKey, _ allowance: Allowance, isReserved: Bool) {
        guard let place = find(key) else { return }
        var word = time(place).pointee.load(ordering: .relaxed)
        while word & LimitKey.tagMask == key.tag, word >> LimitKey.tagBits > allowance.interval {
            let earlier = (word >> LimitKey.tagBits - allowance.interval) << LimitKey.tagBits | key.tag
            let (isDone, current) = time(place).pointee.weakCompareExchange(
                expected: word,
                desired: earlier,
                ordering: .acquiringAndReleasing
            )
            if isDone { break }
            word = current
        }
        if isReserved { uncount(key, 1, at: place) }
    }

    /// The arrival time on record; 0 if there is none.
    package func arrival(_ key: LimitKey) -> UInt64 {
        guard let place = find(key) else { return 0 }
        let word = time(place).pointee.load(ordering: .acquiring)
        return word & LimitKey.tagMask == key.tag ? word >> LimitKey.tagBits : 0
    }

    // MARK: What the store said

    /// The store knows of `count` requests more, or never will.
    ///
    /// - Parameters:
    ///   - wholeIn: Microseconds after which the key's allowance is whole by what the store knows; nil where it could
    ///     not be told.
    ///   - now: Unix microseconds.
    package func settle(_ key: LimitKey, _ allowance: Allowance, count: UInt64, wholeIn: UInt64?, at now: UInt64) {
        guard let known = find(key) ?? wholeIn.map({ _ in place(of: key, at: now) }) else { return }
        uncount(key, count, at: known)
        guard let wholeIn else { return }
        while true {
            // In this order: a request is in the number before it is in the time.
            let word = time(known).pointee.load(ordering: .acquiring)
            let holder = fingerprint(known).pointee.load(ordering: .acquiring)
            guard holder & ~Self.countMask == key.fingerprint else { return }
            let unsettled = (holder & Self.countMask) * allowance.interval
            let arrival = now + min(min(wholeIn, allowance.most) + unsettled, allowance.most)
            let (isDone, _) = time(known).pointee.compareExchange(
                expected: word,
                desired: arrival << LimitKey.tagBits | key.tag,
                ordering: .acquiringAndReleasing
            )
            if isDone { return }
        }
    }

    /// Requests that the store does not know of.
    func unsettled(_ key: LimitKey) -> UInt64 {
        find(key).map { fingerprint($0).pointee.load(ordering: .acquiring) & Self.countMask } ?? 0
    }

    // MARK: Entries

    private enum Reservation {
        case reserved
        case tooMany
        /// The entry is another key's now.
        case gone
    }

    private func reserve(_ key: LimitKey, at place: Int, ahead: UInt64) -> Reservation {
        var word = fingerprint(place).pointee.load(ordering: .relaxed)
        while word & ~Self.countMask == key.fingerprint {
            guard word & Self.countMask < ahead else { return .tooMany }
            let (isDone, current) = fingerprint(place).pointee.weakCompareExchange(
                expected: word,
                desired: word + 1,
                ordering: .acquiringAndReleasing
            )
            if isDone { return .reserved }
            word = current
        }
        return .gone
    }

    private func uncount(_ key: LimitKey, _ count: UInt64, at place: Int) {
        var word = fingerprint(place).pointee.load(ordering: .relaxed)
        while word & ~Self.countMask == key.fingerprint {
            let (isDone, current) = fingerprint(place).pointee.weakCompareExchange(
                expected: word,
                desired: word - min(count, word & Self.countMask),
                ordering: .acquiringAndReleasing
            )
            if isDone { return }
            word = current
        }
    }

    /// Moves the key's time on by a request. Nil: the entry is another key's now.
    private func move(_ key: LimitKey, _ allowance: Allowance, at place: Int, _ now: UInt64) -> Taking? {
        while true {
            let word = time(place).pointee.load(ordering: .acquiring)
            let holder = fingerprint(place).pointee.load(ordering: .acquiring)
            guard holder & ~Self.countMask == key.fingerprint else { return nil }
            let known = word & LimitKey.tagMask == key.tag ? word >> LimitKey.tagBits : 0
            let arrival = allowance.bearing(known, at: now)
            let wait = allowance.wait(arrival, at: now)
            // A refusal changes nothing, but for a time that would not run out by itself.
            guard wait == 0 || allowance.isAstray(known, at: now) else { return .refused(wait: wait) }
            let next = wait == 0 ? arrival + allowance.interval : arrival
            let (isDone, _) = time(place).pointee.compareExchange(
                expected: word,
                desired: next << LimitKey.tagBits | key.tag,
                ordering: .acquiringAndReleasing
            )
            if isDone { return wait == 0 ? .taken : .refused(wait: wait) }
        }
    }

    private func find(_ key: LimitKey) -> Int? {
        let start = start(of: key)
        for place in start..<(start + Self.ways)
        where fingerprint(place).pointee.load(ordering: .acquiring) & ~Self.countMask == key.fingerprint {
            return place
        }
        return nil
    }

    /// The key's entry, a new one if it has none.
    private func place(of key: LimitKey, at now: UInt64) -> Int {
        while true {
            if let place = find(key) { return place }
            let place = leastAhead(start(of: key), at: now)
            let word = fingerprint(place).pointee.load(ordering: .relaxed)
            let (isDone, _) = fingerprint(place).pointee.compareExchange(
                expected: word,
                desired: key.fingerprint,
                ordering: .sequentiallyConsistent
            )
            guard isDone else { continue }
            if isOnly(key, at: place) { return place }
            // Another thread has given the key an entry at the same moment.
            _ = fingerprint(place).pointee.compareExchange(
                expected: key.fingerprint,
                desired: 0,
                ordering: .sequentiallyConsistent
            )
        }
    }

    private func isOnly(_ key: LimitKey, at place: Int) -> Bool {
        let start = start(of: key)
        for other in start..<(start + Self.ways) where other != place {
            let word = fingerprint(other).pointee.load(ordering: .sequentiallyConsistent)
            if word & ~Self.countMask == key.fingerprint { return false }
        }
        return true
    }

    /// The entry of a set that is missed least: an empty one, one whose time has passed, or the one that is least
    /// ahead. Those with requests that the store is still to be told of come last.
    private func leastAhead(_ start: Int, at now: UInt64) -> Int {
        var (best, least) = (start, UInt64.max)
        for place in start..<(start + Self.ways) {
            let holder = fingerprint(place).pointee.load(ordering: .acquiring)
            if holder == 0 { return place }
            let arrival = time(place).pointee.load(ordering: .acquiring) >> LimitKey.tagBits
            let unsettled = holder & Self.countMask == 0 ? 0 : UInt64.max / 2
            let ahead = (arrival > now ? arrival - now : 0) + unsettled
            if ahead < least { (best, least) = (place, ahead) }
        }
        return best
    }

    private func start(of key: LimitKey) -> Int {
        Int(key.bucket.multipliedFullWidth(by: UInt64(sets)).high) * Self.ways
    }

    // The fingerprints of a set are one cache line, its times the next.

    private func fingerprint(_ place: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        words + (place / Self.ways * Self.ways + place)
    }

    private func time(_ place: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        words + (place / Self.ways * Self.ways + place + Self.ways)
    }
}
