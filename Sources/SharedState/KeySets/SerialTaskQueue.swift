/// Pieces of work that are done one after the other, in the order in which they were given. They go on when the task
/// that gave them is cancelled.
struct SerialTaskQueue {
    private var last: Task<Void, Never>?

    /// - Returns: Ends when the work is done.
    mutating func add(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        let previous = last
        let task = Task {
            await previous?.value
            await work()
        }
        last = task
        return task
    }

    /// Waits for what was given so far.
    func finish() async { await last?.value }
}
