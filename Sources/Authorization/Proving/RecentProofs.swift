import Synchronization
import Time
import Verification

/// The proofs that this process has seen, until they are too old to be used again. Bounded: where it is full of proofs
/// that could be, what is new cannot be told from them later.
final class RecentProofs: Sendable {
    enum Note: Equatable {
        case new
        case known
        /// There is no room to remember it, or it may be one that there was none for.
        case full
    }

    /// Proofs: about 10 MB.
    static let usualCapacity = 100_000
    /// Seconds between two looks at all of them, at least.
    private static let lookInterval = 1.0

    private struct Name: Hashable {
        let keyThumbprint: [UInt8]
        let id: [UInt8]
    }

    private struct State {
        var ends: [Name: UnixTime] = [:]
        /// Until then, nothing of what is here is looked through for what is too old.
        var nextLook = UnixTime.distantPast
        /// Until then a proof that is not among them may be one that there was no room for.
        var missedUntil = UnixTime.distantPast

        mutating func miss(until end: UnixTime) -> Note {
            missedUntil = max(missedUntil, end)
            return .full
        }
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int = usualCapacity) {
        self.capacity = capacity
    }

    /// - Parameters:
    ///   - until: The time from which the proof is too old.
    func note(_ proof: DPoPProof, until: UnixTime, at now: UnixTime) -> Note {
        let name = Name(keyThumbprint: proof.keyThumbprint, id: Array(proof.id.utf8))
        return state.withLock { state in
            if let end = state.ends[name], now <= end { return .known }
            if state.ends.count >= capacity {
                guard now > state.nextLook else { return state.miss(until: until) }
                state.ends = state.ends.filter { now <= $0.value }
                // Under load there is nearly always one that has just become too old: all are looked at once a second.
                state.nextLook = max(state.ends.values.min() ?? .distantPast, now + Self.lookInterval)
                guard state.ends.count < capacity else { return state.miss(until: until) }
            }
            state.ends[name] = until
            return until <= state.missedUntil ? .full : .new
        }
    }
}
