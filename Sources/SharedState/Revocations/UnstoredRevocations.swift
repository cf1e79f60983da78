import Store

/// Revocations of this instance that are not in the store: sign-outs that could not be written, and records that the
/// store has lost. Writes are retried with backoff.
struct UnstoredRevocations {
    /// Revocations that were made together.
    struct Group: Equatable {
        var revocations: [Revocation]
        /// Whether somebody has signed out.
        var isSignOut: Bool
    }

    struct Batch: Equatable {
        var groups: [Group]
        /// The number of the first one, in order of arrival.
        fileprivate var number: Int

        var revocations: [Revocation] { groups.flatMap(\.revocations) }
    }

    struct LostBatch: Equatable {
        var records: [RevocationRecord]
        /// The number of times that the store has lost records.
        fileprivate var loss: Int
    }

    /// Sign-outs that are kept; the oldest are dropped.
    static let most = 10_000
    private static let batchLength = 256
    private static let lostBatchLength = 5000

    private var signOuts: [Group] = []
    /// The number of the first one.
    private var first = 0
    /// The revocations of all of them.
    private(set) var count = 0
    private var records: [RevocationRecord] = []
    private var losses = 0
    private var failures = 0

    /// The time until the next attempt; nil if there is nothing to write.
    var pause: Duration? {
        if signOuts.isEmpty && records.isEmpty { return nil }
        return failures == 0 ? .milliseconds(250) : .milliseconds(500 << min(failures, 5))
    }

    /// - Parameters:
    ///   - revocations: Made together.
    ///   - isSignOut: Whether somebody has signed out.
    /// - Returns: The number of dropped revocations.
    mutating func add(_ revocations: [Revocation], isSignOut: Bool = true) -> Int {
        guard !revocations.isEmpty else { return 0 }
        signOuts.append(Group(revocations: revocations, isSignOut: isSignOut))
        count += revocations.count
        var (dropped, groups) = (0, 0)
        for group in signOuts.dropLast() where count - dropped > Self.most {
            dropped += group.revocations.count
            groups += 1
        }
        remove(groups)
        return dropped
    }

    /// The oldest sign-outs; nil if there are none.
    func revocations() -> Batch? {
        guard !signOuts.isEmpty else { return nil }
        var (length, groups) = (0, [Group]())
        for group in signOuts {
            length += group.revocations.count
            guard groups.isEmpty || length <= Self.batchLength else { break }
            groups.append(group)
        }
        return Batch(groups: groups, number: first)
    }

    /// The batch has been stored. Some of it may have been dropped in the meantime.
    mutating func stored(_ batch: Batch) {
        remove(max(0, min(batch.number + batch.groups.count - first, signOuts.count)))
    }

    private mutating func remove(_ groups: Int) {
        count -= signOuts.prefix(groups).reduce(0) { $0 + $1.revocations.count }
        signOuts.removeFirst(groups)
        first += groups
    }

    /// Replaces the list of records that the store has lost.
    mutating func lost(_ records: [RevocationRecord]) {
        self.records = records
        losses += 1
    }

    func lost() -> LostBatch? {
        records.isEmpty ? nil : LostBatch(records: Array(records.suffix(Self.lostBatchLength)), loss: losses)
    }

    /// The batch has been stored again, unless the store has lost records once more in the meantime.
    mutating func restored(_ batch: LostBatch) {
        if batch.loss == losses { records.removeLast(batch.records.count) }
    }

    mutating func worked() { failures = 0 }

    mutating func failed() { failures += 1 }
}
