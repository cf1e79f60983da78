import Synchronization
import Time
import Verification

/// The proofs that this process has seen, until they are too old to be replayed. Bounded: while it is full of proofs
/// that could be replayed, new ones cannot be remembered.
final class RecentProofs: Sendable {
    enum Note: Equatable {
        case new
        case known
        /// There is no space to remember it, or it may be one that could not be remembered before.
        case full
    }

    /// Proofs: about 10 MB.
    static let defaultCapacity = 100_000
    /// Minimum seconds between two cleanups of all entries.
    private static let cleanupInterval = 1.0

    private struct Name: Hashable {
        let keyThumbprint: [UInt8]
        let id: [UInt8]
    }

    private struct State {
        var ends: [Name: UnixTime] = [:]
        /// No cleanup of old entries before this time.
        var nextCleanup = UnixTime.distantPast
        /// Until then an unknown proof may be one that could not be remembered.
        var missedUntil = UnixTime.distantPast

        mutating func miss(until end: UnixTime) -> Note {
            missedUntil = max(missedUntil, end)
            return .full
        }
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int = defaultCapacity) {
        self.capacity = capacity
    }

    /// - Parameters:
    ///   - until: The time from which the proof is too old.
    func note(_ proof: DPoPProof, until: UnixTime, at now: UnixTime) -> Note {
        let name = Name(keyThumbprint: proof.keyThumbprint, id: Array(proof.id.utf8))
        return state.withLock { state in
            if let end = state.ends[name], now <= end { return .known }
            if state.ends.count >= capacity {
                guard now > state.nextCleanup else { return state.miss(until: until) }
                state.ends = state.ends.filter { now <= $0.value }
                // Under load some entry has nearly always just expired: clean up once a second.
                state.nextCleanup = max(state.ends.values.min() ?? .distantPast, now + Self.cleanupInterval)
                guard state.ends.count < capacity else { return state.miss(until: until) }
            }
            state.ends[name] = until
            return until <= state.missedUntil ? .full : .new
        }
    }
}
