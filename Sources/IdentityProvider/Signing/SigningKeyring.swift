public import Time
public import Verification

/// The keys of an issuer that makes its own: those that signed, the one that does, and the one that is next.
///
/// Which key signs follows from the ring and the time alone. So instances that know the same ring agree without a word,
/// and the ring is changed only well before it matters:
///
///     made ──── published an hour at least ────┐
///                                 settled ─ 5 min ─ takes over ── signs ── the one after it takes over
///                                                                              └─ kept ─ forgotten
///
/// Only a key that was read from the store is settled, so that every instance that read the store since knows it,
/// however long the one that made it took to write it down.
public struct SigningKeyring: Sendable, Equatable {
    public struct Key: Sendable {
        /// The thumbprint of its public half (RFC 7638).
        public let keyID: String
        public let key: SigningKey
        public let createdAt: UnixTime
        /// The time from which it signs; nil: not settled yet.
        public fileprivate(set) var activeFrom: UnixTime?

        init(_ key: SigningKey, keyID: String, createdAt: UnixTime, activeFrom: UnixTime?) {
            self.keyID = keyID
            self.key = key
            self.createdAt = createdAt
            self.activeFrom = activeFrom
        }
    }

    /// What has to be done about a ring.
    enum Change: Sendable, Equatable {
        case makeNext
        /// The next key takes over at this time.
        case settle(at: UnixTime)
        /// The first so many keys are of no use any more.
        case forget(Int)
    }

    public let algorithm: SignatureAlgorithm
    /// In the order in which they sign. The first is settled, and only the last may not be.
    public private(set) var keys: [Key]

    /// - Returns: Nil unless the keys are in order.
    init?(algorithm: SignatureAlgorithm, keys: [Key]) {
        guard keys.first?.activeFrom != nil, keys.dropLast().allSatisfy({ $0.activeFrom != nil }) else { return nil }
        let starts = keys.compactMap(\.activeFrom)
        guard zip(starts, starts.dropFirst()).allSatisfy(<) else { return nil }
        guard keys.allSatisfy({ $0.key.algorithms.contains(algorithm) }) else { return nil }
        self.algorithm = algorithm
        self.keys = keys
    }

    /// The first ring of an issuer: a key that signs at once, as nobody has any other, and the next.
    public static func first(_ algorithm: SignatureAlgorithm, at now: UnixTime) throws(SigningError) -> SigningKeyring {
        let active = try Key.make(algorithm, at: now, activeFrom: now)
        let next = try Key.make(algorithm, at: now)
        guard let ring = SigningKeyring(algorithm: algorithm, keys: [active, next]) else { throw .notGenerated }
        return ring
    }

    /// The place of the key that signs at `now`. The first stands in while a clock is behind that of who made it.
    func activePlace(at now: UnixTime) -> Int {
        keys.lastIndex { $0.activeFrom.map { $0 <= now } ?? false } ?? 0
    }

    /// The key that signs.
    public func active(at now: UnixTime) -> Key { keys[activePlace(at: now)] }

    /// The key after the one that signs.
    public func next(at now: UnixTime) -> Key? {
        let place = activePlace(at: now) + 1
        return place < keys.count ? keys[place] : nil
    }
}

// MARK: - What happens to it

extension SigningKeyring {
    /// What is due by time alone; nothing if the ring is as it should be.
    func due(at now: UnixTime, _ times: SigningKeyTimes) -> [Change] {
        var changes: [Change] = []
        let spent = keys.indices.prefix { place in forgottenAt(place, times).map { $0 <= now } ?? false }
        if !spent.isEmpty { changes.append(.forget(spent.count)) }
        guard let next = next(at: now) else { return changes + [.makeNext] }
        let active = active(at: now)
        let dueAt = (active.activeFrom ?? active.createdAt) + times.rotateEvery
        if next.activeFrom == nil, now + SigningKeyTimes.notice >= dueAt {
            changes.append(.settle(at: takeover(createdAt: next.createdAt, at: now)))
        }
        return changes
    }

    /// The ring with everything done that is due.
    public func kept(at now: UnixTime, _ times: SigningKeyTimes) throws(SigningError) -> SigningKeyring {
        var ring = self
        for change in due(at: now, times) { try ring.make(change, at: now) }
        return ring
    }

    /// The ring with the next key's time to take over settled: as early as may be, whatever is due.
    public func rotated(at now: UnixTime, _ times: SigningKeyTimes) throws(SigningError) -> SigningKeyring {
        var ring = try kept(at: now, times)
        // Of the ring that was read, not one that was made just now.
        if let next = next(at: now), ring.next(at: now)?.activeFrom == nil {
            try ring.make(.settle(at: takeover(createdAt: next.createdAt, at: now)), at: now)
        }
        return ring
    }

    /// Not before whoever verifies had the time to learn of the key, and all who sign that it is settled.
    func takeover(createdAt: UnixTime, at now: UnixTime) -> UnixTime {
        max(now + SigningKeyTimes.notice, createdAt + SigningKeyTimes.publication)
    }

    private mutating func make(_ change: Change, at now: UnixTime) throws(SigningError) {
        switch change {
        case .makeNext: keys.append(try Key.make(algorithm, at: now))
        case .settle(let time): keys[keys.count - 1].activeFrom = time
        case .forget(let count): keys.removeFirst(count)
        }
    }

    /// When the key at `place` stops to sign; nil while that is not settled.
    func retiredAt(_ place: Int) -> UnixTime? {
        place + 1 < keys.count ? keys[place + 1].activeFrom : nil
    }

    /// The time from which nobody holds a token of the key at `place` that is good.
    func forgottenAt(_ place: Int, _ times: SigningKeyTimes) -> UnixTime? {
        retiredAt(place).map { $0 + times.keptAfterwards }
    }
}

extension SigningKeyring.Key: Equatable {
    /// The thumbprint stands for the key.
    public static func == (one: Self, other: Self) -> Bool {
        one.keyID.utf8.elementsEqual(other.keyID.utf8) && one.createdAt == other.createdAt
            && one.activeFrom == other.activeFrom
    }

    fileprivate static func make(
        _ algorithm: SignatureAlgorithm,
        at now: UnixTime,
        activeFrom: UnixTime? = nil
    ) throws(SigningError) -> Self {
        guard let kind = SigningKey.Kind(for: algorithm) else { throw .algorithmDoesNotFit(algorithm) }
        let key = try SigningKey.generate(kind)
        guard let keyID = key.thumbprint else { throw .notGenerated }
        return Self(key, keyID: keyID, createdAt: now, activeFrom: activeFrom)
    }
}
