import Glibc
import Synchronization

/// The theoretical arrival times of all active keys, in one table for all event loops, without locks.
///
/// It has sets of eight entries, each of two machine words: a fingerprint with the number of requests that the store
/// does not know of yet, and the arrival time with a tag of its key. A request finds its key by one pass over a set and
/// moves the time on by one compare-and-exchange. Entries whose time has passed count as empty. In a full set the entry
/// that is least ahead of now is evicted: a flood of new keys evicts its own, not the heavy caller who has to wait.
///
/// An entry changes its key by a compare-and-exchange of its fingerprint. A thread that finds another key's tag on the
/// time starts from zero, and a thread that was about to move the old time fails. Tags are short: one in 2048 of the
/// keys that take over a live entry has the same tag. It continues with the other key's time and has to wait as long as
/// that one; it never gets more than the limit.
package final class ArrivalTable: @unchecked Sendable {
    // Threads share only atomic words, at addresses that are fixed from `init` to `deinit`.

    private static let countMask: UInt64 = 1 << LimitKey.countBits - 1
    private static let ways = 8
    /// 24 MiB, for one and a half million keys. Pages are allocated when they are first written.
    static let defaultSets = 196_608

    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let sets: Int
    private let bytes: Int

    init(sets: Int = ArrivalTable.defaultSets) {
        self.sets = sets
        bytes = sets * Self.ways * 16
        let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { preconditionFailure("there is no memory for rate limits") }
        // Mapped memory is zeroed, which is the representation of an atomic zero.
        words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: sets * Self.ways * 2)
    }

    deinit { munmap(words, bytes) }

    /// The result for a request.
    package enum Taking: Equatable {
        case taken
        /// - Parameter wait: Microseconds until one is allowed.
        case refused(wait: UInt64)
    }

    // MARK: Requests

    /// Counts a request if it is allowed; a refused one uses up nothing.
    ///
    /// - Parameters:
    ///   - isReserved: Whether it must be reported to the store: then ``Allowance/ahead`` applies, and it has to be
    ///     settled.
    ///   - now: Unix microseconds.
    package func take(_ key: LimitKey, _ allowance: Allowance, isReserved: Bool = false, at now: UInt64) -> Taking {
        while true {
            let index = entryIndex(of: key, at: now)
            if isReserved, let ahead = allowance.ahead {
                switch reserve(key, at: index, ahead: ahead) {
                case .reserved: break
                case .tooMany: return .refused(wait: allowance.interval)
                case .gone: continue
                }
            }
            if let taking = move(key, allowance, at: index, now) {
                if taking != .taken, isReserved { uncount(key, 1, at: index) }
                return taking
            }
            // Its reservation went with the entry.
        }
    }

    /// Reverts ``take(_:_:isReserved:at:)``.
    package func giveBack(_ key: LimitKey, _ allowance: Allowance, isReserved: Bool) {
        guard let index = find(key) else { return }
        var word = time(index).pointee.load(ordering: .relaxed)
        while word & LimitKey.tagMask == key.tag, word >> LimitKey.tagBits > allowance.interval {
            let earlier = (word >> LimitKey.tagBits - allowance.interval) << LimitKey.tagBits | key.tag
            let (isDone, current) = time(index).pointee.weakCompareExchange(
                expected: word,
                desired: earlier,
                ordering: .acquiringAndReleasing
            )
            if isDone { break }
            word = current
        }
        if isReserved { uncount(key, 1, at: index) }
    }

    /// The stored arrival time; 0 if there is none.
    package func arrival(_ key: LimitKey) -> UInt64 {
        guard let index = find(key) else { return 0 }
        let word = time(index).pointee.load(ordering: .acquiring)
        return word & LimitKey.tagMask == key.tag ? word >> LimitKey.tagBits : 0
    }

    // MARK: Results of the store

    /// The store has counted `count` more requests, or never will.
    ///
    /// - Parameters:
    ///   - wholeIn: Microseconds after which the key's allowance is full according to the store; nil if it is
    ///     unknown.
    ///   - now: Unix microseconds.
    package func settle(_ key: LimitKey, _ allowance: Allowance, count: UInt64, wholeIn: UInt64?, at now: UInt64) {
        guard let known = find(key) ?? wholeIn.map({ _ in entryIndex(of: key, at: now) }) else { return }
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
        /// The entry belongs to another key now.
        case gone
    }

    private func reserve(_ key: LimitKey, at index: Int, ahead: UInt64) -> Reservation {
        var word = fingerprint(index).pointee.load(ordering: .relaxed)
        while word & ~Self.countMask == key.fingerprint {
            guard word & Self.countMask < ahead else { return .tooMany }
            let (isDone, current) = fingerprint(index).pointee.weakCompareExchange(
                expected: word,
                desired: word + 1,
                ordering: .acquiringAndReleasing
            )
            if isDone { return .reserved }
            word = current
        }
        return .gone
    }

    private func uncount(_ key: LimitKey, _ count: UInt64, at index: Int) {
        var word = fingerprint(index).pointee.load(ordering: .relaxed)
        while word & ~Self.countMask == key.fingerprint {
            let (isDone, current) = fingerprint(index).pointee.weakCompareExchange(
                expected: word,
                desired: word - min(count, word & Self.countMask),
                ordering: .acquiringAndReleasing
            )
            if isDone { return }
            word = current
        }
    }

    /// Moves the key's time on by a request. Returns nil if the entry belongs to another key now.
    private func move(_ key: LimitKey, _ allowance: Allowance, at index: Int, _ now: UInt64) -> Taking? {
        while true {
            let word = time(index).pointee.load(ordering: .acquiring)
            let holder = fingerprint(index).pointee.load(ordering: .acquiring)
            guard holder & ~Self.countMask == key.fingerprint else { return nil }
            let known = word & LimitKey.tagMask == key.tag ? word >> LimitKey.tagBits : 0
            let arrival = allowance.bearing(known, at: now)
            let wait = allowance.wait(arrival, at: now)
            // A refusal changes nothing, except for a time that would not pass by itself.
            guard wait == 0 || allowance.isAstray(known, at: now) else { return .refused(wait: wait) }
            let next = wait == 0 ? arrival + allowance.interval : arrival
            let (isDone, _) = time(index).pointee.compareExchange(
                expected: word,
                desired: next << LimitKey.tagBits | key.tag,
                ordering: .acquiringAndReleasing
            )
            if isDone { return wait == 0 ? .taken : .refused(wait: wait) }
        }
    }

    private func find(_ key: LimitKey) -> Int? {
        let start = start(of: key)
        for index in start..<(start + Self.ways)
        where fingerprint(index).pointee.load(ordering: .acquiring) & ~Self.countMask == key.fingerprint {
            return index
        }
        return nil
    }

    /// The key's entry, a new one if it has none.
    private func entryIndex(of key: LimitKey, at now: UInt64) -> Int {
        while true {
            if let index = find(key) { return index }
            let index = leastAhead(start(of: key), at: now)
            let word = fingerprint(index).pointee.load(ordering: .relaxed)
            let (isDone, _) = fingerprint(index).pointee.compareExchange(
                expected: word,
                desired: key.fingerprint,
                ordering: .sequentiallyConsistent
            )
            guard isDone else { continue }
            if isOnly(key, at: index) { return index }
            // Another thread has given the key an entry at the same moment.
            _ = fingerprint(index).pointee.compareExchange(
                expected: key.fingerprint,
                desired: 0,
                ordering: .sequentiallyConsistent
            )
        }
    }

    private func isOnly(_ key: LimitKey, at index: Int) -> Bool {
        let start = start(of: key)
        for other in start..<(start + Self.ways) where other != index {
            let word = fingerprint(other).pointee.load(ordering: .sequentiallyConsistent)
            if word & ~Self.countMask == key.fingerprint { return false }
        }
        return true
    }

    /// The entry of a set to evict: an empty one, one whose time has passed, or the one that is least ahead. Entries
    /// with unsettled requests come last.
    private func leastAhead(_ start: Int, at now: UInt64) -> Int {
        var (best, least) = (start, UInt64.max)
        for index in start..<(start + Self.ways) {
            let holder = fingerprint(index).pointee.load(ordering: .acquiring)
            if holder == 0 { return index }
            let arrival = time(index).pointee.load(ordering: .acquiring) >> LimitKey.tagBits
            let unsettled = holder & Self.countMask == 0 ? 0 : UInt64.max / 2
            let ahead = (arrival > now ? arrival - now : 0) + unsettled
            if ahead < least { (best, least) = (index, ahead) }
        }
        return best
    }

    private func start(of key: LimitKey) -> Int {
        Int(key.bucket.multipliedFullWidth(by: UInt64(sets)).high) * Self.ways
    }

    // The fingerprints of a set are one cache line, its times the next.

    private func fingerprint(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        words + (index / Self.ways * Self.ways + index)
    }

    private func time(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        words + (index / Self.ways * Self.ways + index + Self.ways)
    }
}
