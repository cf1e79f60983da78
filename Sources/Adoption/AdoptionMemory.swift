import SharedState
import Time

/// What this process knows of adoptions, so that it seldom asks the store, and asks for no session twice at a time.
struct AdoptionMemory: Sendable {
    /// A former session of a tenant.
    struct Key: Sendable, Hashable {
        /// Its name.
        var tenant: String
        var session: SessionName
    }

    enum Beginning: Sendable, Equatable {
        case begun
        /// Nothing is to be done now.
        ///
        /// - isAdopted: Whether it is known to be adopted.
        case rests(seconds: Double, isAdopted: Bool)
    }

    static let mostKnown = 50_000
    /// Adoptions of one tenant at once.
    static let mostAtOnce = 256
    /// Seconds for which a tenant's adoptions rest when store, hook or signing key fail.
    static let restAfterFailure = 5.0
    /// Seconds before a token is tried again for which there is no room, or which is being exchanged.
    static let restWhenBusy = 2.0

    private struct Known: Sendable {
        var until: MonotonicTime
        var isAdopted: Bool
    }

    private var known = BoundedMap<Key, Known, MonotonicTime>(capacity: mostKnown)
    private var underWay: Set<Key> = []
    private var counts: [String: Int] = [:]
    private var restUntil: [String: MonotonicTime] = [:]

    mutating func begin(_ key: Key, at now: MonotonicTime) -> Beginning {
        if let known = known.value(for: key, at: now) {
            return .rests(seconds: Double(known.until - now) / 1e9, isAdopted: known.isAdopted)
        }
        if let until = restUntil[key.tenant] {
            guard now >= until else { return .rests(seconds: Double(until - now) / 1e9, isAdopted: false) }
            restUntil[key.tenant] = nil
        }
        guard counts[key.tenant, default: 0] < Self.mostAtOnce, underWay.insert(key).inserted else {
            return .rests(seconds: Self.restWhenBusy, isAdopted: false)
        }
        counts[key.tenant, default: 0] += 1
        return .begun
    }

    /// Each that has begun ends once.
    mutating func end(_ key: Key) {
        guard underWay.remove(key) != nil else { return }
        let count = counts[key.tenant, default: 1] - 1
        counts[key.tenant] = count > 0 ? count : nil
    }

    /// - Parameter seconds: How long nothing will change.
    mutating func remember(_ key: Key, isAdopted: Bool, for seconds: Double, at now: MonotonicTime) {
        let until = now + UInt64(min(max(seconds, 0), 3600) * 1e9)
        known.insert(Known(until: until, isAdopted: isAdopted), for: key, until: until, at: now)
    }

    mutating func forget(_ key: Key) { known.remove(key) }

    mutating func rest(_ tenant: String, at now: MonotonicTime) {
        restUntil[tenant] = now + UInt64(Self.restAfterFailure * 1e9)
    }
}
