import Dispatch

/// A connection that is used by one call at a time, in their order, on a thread of its own queue: SQLite blocks, and
/// the threads for tasks are too few for that.
actor SQLiteWorker {
    private let connection: SQLiteConnection
    private let executor = QueueExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ connection: sending SQLiteConnection) { self.connection = connection }

    /// - Throws: What `work` throws; ``SQLiteError``, with `SQLITE_INTERRUPT` if the task is cancelled before the
    ///   transaction ends.
    nonisolated func run<Result: Sendable>(
        _ kind: SQLiteConnection.Transaction,
        _ work: @Sendable (SQLiteConnection) throws -> Result
    ) async throws -> Result {
        let interrupt = SQLiteInterrupt()
        return try await withTaskCancellationHandler {
            try await transaction(kind, interrupt, work)
        } onCancel: {
            interrupt.interrupt()
        }
    }

    /// Neither waiting for the transaction nor its end can be broken off.
    private func transaction<Result: Sendable>(
        _ kind: SQLiteConnection.Transaction,
        _ interrupt: SQLiteInterrupt,
        _ work: @Sendable (SQLiteConnection) throws -> Result
    ) throws -> Result {
        try connection.transaction(kind) { try $0.allowing(interrupt, work) }
    }

    /// - Parameter last: Executed before it closes, whether it succeeds or not.
    func close(_ last: String? = nil) {
        if let last { try? connection.script(last) }
        connection.close()
    }
}

private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "gatehouse.sqlite")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
