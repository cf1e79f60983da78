/// Bytes of bodies that all requests of one event loop may keep together, for replays and token capture.
final class ReplayBudget {
    private(set) var left: Int

    init(_ bytes: Int) { left = bytes }

    /// A request's share of the budget. It is returned with the last reference, whatever becomes of the request.
    final class Part {
        private let budget: ReplayBudget
        private var bytes = 0

        init(of budget: ReplayBudget) { self.budget = budget }

        deinit { budget.left += bytes }

        /// Returns whether that many more bytes fit.
        func grow(by count: Int) -> Bool {
            guard count <= budget.left else { return false }
            budget.left -= count
            bytes += count
            return true
        }

        func giveBack() {
            budget.left += bytes
            bytes = 0
        }
    }
}
