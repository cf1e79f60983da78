/// Runs work serially in the order of arrival, whether or not the adding task is cancelled.
struct SerialTaskQueue {
    private var last: Task<Void, Never>?

    /// - Returns: Finishes with the work.
    mutating func add(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        let previous = last
        let task = Task {
            await previous?.value
            await work()
        }
        last = task
        return task
    }

    /// Waits for the work added so far.
    func finish() async { await last?.value }
}
