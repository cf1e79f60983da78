public import Time
public import Verification

/// The keys of an issuer that makes its own: previous ones, the one that signs, and the next.
///
/// Which key signs follows from the ring and the time alone. So instances with the same ring agree without
/// communication, and the ring is changed only well before it takes effect:
///
///     made ──── published an hour at least ────┐
///                                 settled ─ 5 min ─ takes over ── signs ── the one after it takes over
///                                                                              └─ kept ─ forgotten
///
/// Only a key that was read back from the store is settled, so that every instance that has read the store since knows
/// it, however long its writing took.
public struct SigningKeyring: Sendable, Equatable {
    public struct Key: Sendable {
        /// The thumbprint of its public half (RFC 7638).
        public let keyID: String
        public let key: SigningKey
        public let createdAt: UnixTime
        /// The time from which it signs; nil: not settled yet.
        public fileprivate(set) var activeFrom: UnixTime?
    }

    /// A pending change of a ring.
    enum Change: Sendable, Equatable {
        case makeNext
        /// The next key takes over at this time.
        case settle(at: UnixTime)
        /// The first so many keys are no longer needed.
        case forget(Int)
    }

    public let algorithm: SignatureAlgorithm
    /// In the order in which they sign. The first is settled; only the last may be unsettled.
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

    /// The first ring of an issuer: a key that signs at once, as verifiers have no other, and the next.
    public static func first(_ algorithm: SignatureAlgorithm, at now: UnixTime) throws(SigningError) -> SigningKeyring {
        let active = try Key.make(algorithm, at: now, activeFrom: now)
        let next = try Key.make(algorithm, at: now)
        guard let ring = SigningKeyring(algorithm: algorithm, keys: [active, next]) else { throw .notGenerated }
        return ring
    }

    /// The index of the key that signs at `now`. It is 0 while a clock is behind that of the instance that made the
    /// first key.
    func activeIndex(at now: UnixTime) -> Int {
        keys.lastIndex { $0.activeFrom.map { $0 <= now } ?? false } ?? 0
    }

    /// The key that signs.
    public func active(at now: UnixTime) -> Key { keys[activeIndex(at: now)] }

    /// The key after the one that signs.
    public func next(at now: UnixTime) -> Key? {
        let index = activeIndex(at: now) + 1
        return index < keys.count ? keys[index] : nil
    }
}

// MARK: - Events

extension SigningKeyring {
    /// The changes due by time alone; empty if there are none.
    func due(at now: UnixTime, _ times: SigningKeyTimes) -> [Change] {
        var changes: [Change] = []
        let spent = keys.indices.prefix { index in forgottenAt(index, times).map { $0 <= now } ?? false }
        if !spent.isEmpty { changes.append(.forget(spent.count)) }
        guard let next = next(at: now) else { return changes + [.makeNext] }
        let active = active(at: now)
        let dueAt = (active.activeFrom ?? active.createdAt) + times.rotateEvery
        if next.activeFrom == nil, now + SigningKeyTimes.notice >= dueAt {
            changes.append(.settle(at: takeover(createdAt: next.createdAt, at: now)))
        }
        return changes
    }

    /// The ring after all due changes.
    public func kept(at now: UnixTime, _ times: SigningKeyTimes) throws(SigningError) -> SigningKeyring {
        var ring = self
        for change in due(at: now, times) { try ring.make(change, at: now) }
        return ring
    }

    /// The ring with the next key's takeover settled for the earliest possible time.
    public func rotated(at now: UnixTime, _ times: SigningKeyTimes) throws(SigningError) -> SigningKeyring {
        var ring = try kept(at: now, times)
        // Only a key of the ring as read, not one that was just made.
        if let next = next(at: now), ring.next(at: now)?.activeFrom == nil {
            try ring.make(.settle(at: takeover(createdAt: next.createdAt, at: now)), at: now)
        }
        return ring
    }

    /// Verifiers need time to learn of the key, and signers to learn that it is settled.
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

    /// When the key at `index` stops signing; nil if not settled.
    func retiredAt(_ index: Int) -> UnixTime? {
        index + 1 < keys.count ? keys[index + 1].activeFrom : nil
    }

    /// When all tokens of the key at `index` have expired.
    func forgottenAt(_ index: Int, _ times: SigningKeyTimes) -> UnixTime? {
        retiredAt(index).map { $0 + times.keptAfterwards }
    }
}

extension SigningKeyring.Key: Equatable {
    /// The thumbprint identifies the key.
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
        return Self(keyID: keyID, key: key, createdAt: now, activeFrom: activeFrom)
    }
}
