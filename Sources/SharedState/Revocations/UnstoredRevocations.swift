import Store

/// Revocations of this instance that are not in the store: sign-outs that could not be written, and records that the
/// store has lost. Writes are retried with backoff.
struct UnstoredRevocations {
    struct Batch: Equatable {
        var revocations: [Revocation]
        /// The number of the first one, in order of arrival.
        fileprivate var number: Int
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

    private var signOuts: [Revocation] = []
    /// The number of the first one.
    private var first = 0
    private var records: [RevocationRecord] = []
    private var losses = 0
    private var failures = 0

    var count: Int { signOuts.count }

    /// The time until the next attempt; nil if there is nothing to write.
    var pause: Duration? {
        if signOuts.isEmpty && records.isEmpty { return nil }
        return failures == 0 ? .milliseconds(250) : .milliseconds(500 << min(failures, 5))
    }

    /// - Returns: The number of dropped sign-outs.
    mutating func add(_ revocations: [Revocation]) -> Int {
        signOuts += revocations
        let dropped = max(0, signOuts.count - Self.most)
        signOuts.removeFirst(dropped)
        first += dropped
        return dropped
    }

    /// The oldest sign-outs; nil if there are none.
    func revocations() -> Batch? {
        signOuts.isEmpty ? nil : Batch(revocations: Array(signOuts.prefix(Self.batchLength)), number: first)
    }

    /// The batch has been stored. Some of it may have been dropped in the meantime.
    mutating func stored(_ batch: Batch) {
        let done = max(0, min(batch.number + batch.revocations.count - first, signOuts.count))
        signOuts.removeFirst(done)
        first += done
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
