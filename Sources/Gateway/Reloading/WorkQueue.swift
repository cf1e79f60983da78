/// Runs one piece of work at a time, in the order of arrival.
actor WorkQueue {
    private var last: Task<Void, Never>?

    func run<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) async -> Result {
        let previous = last
        let task = Task {
            await previous?.value
            return await work()
        }
        last = Task { _ = await task.value }
        return await task.value
    }
}
