import Store

/// What this instance knows of and the store does not: sign-outs that it could not take, and records that it has lost.
/// They are tried again, less and less often while that fails.
struct UnstoredRevocations {
    struct Batch: Equatable {
        var revocations: [Revocation]
        /// Of the first of them, in the order in which they came.
        fileprivate var number: Int
    }

    struct LostBatch: Equatable {
        var records: [RevocationRecord]
        /// Counts the times that the store was found to have lost something.
        fileprivate var loss: Int
    }

    /// Sign-outs that are kept; of more the oldest are given up.
    static let most = 10_000
    private static let batchLength = 256
    private static let lostBatchLength = 5000

    private var signOuts: [Revocation] = []
    /// The number of the first of them.
    private var first = 0
    private var records: [RevocationRecord] = []
    private var losses = 0
    private var failures = 0

    var count: Int { signOuts.count }

    /// How long to wait before the next try; nil: there is nothing to try.
    var pause: Duration? {
        if signOuts.isEmpty && records.isEmpty { return nil }
        return failures == 0 ? .milliseconds(250) : .milliseconds(500 << min(failures, 5))
    }

    /// - Returns: How many had to be given up.
    mutating func add(_ revocations: [Revocation]) -> Int {
        signOuts += revocations
        let dropped = max(0, signOuts.count - Self.most)
        signOuts.removeFirst(dropped)
        first += dropped
        return dropped
    }

    /// Those that have waited longest; nil if none waits.
    func revocations() -> Batch? {
        signOuts.isEmpty ? nil : Batch(revocations: Array(signOuts.prefix(Self.batchLength)), number: first)
    }

    /// The store has these. Some of them may have been given up meanwhile.
    mutating func stored(_ batch: Batch) {
        let done = max(0, min(batch.number + batch.revocations.count - first, signOuts.count))
        signOuts.removeFirst(done)
        first += done
    }

    /// The store was found without these: all that it lacks.
    mutating func lost(_ records: [RevocationRecord]) {
        self.records = records
        losses += 1
    }

    func lost() -> LostBatch? {
        records.isEmpty ? nil : LostBatch(records: Array(records.suffix(Self.lostBatchLength)), loss: losses)
    }

    /// The store has these again, unless it was found without them once more meanwhile.
    mutating func restored(_ batch: LostBatch) {
        if batch.loss == losses { records.removeLast(batch.records.count) }
    }

    mutating func worked() { failures = 0 }

    mutating func failed() { failures += 1 }
}
