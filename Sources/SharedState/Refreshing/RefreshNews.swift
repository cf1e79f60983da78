import Synchronization

/// Tells the keeper of refreshes what happens to sessions elsewhere. It is there before the keeper is, because who
/// follows the store and who refreshes need each other.
public final class RefreshNews: Sendable {
    private struct State {
        var keeper: RefreshKeeper?
        /// Whether the keeper is looking through its sessions.
        var isLooking = false
        /// The tenants that it has still to look through, by name: something has changed since it began.
        var due: Set<String> = []
    }

    private let state = Mutex(State())

    public init() {}

    public func tell(_ keeper: RefreshKeeper) { state.withLock { $0.keeper = keeper } }

    public func announced(_ subject: String) {
        guard let keeper = state.withLock({ $0.keeper }) else { return }
        Task { await keeper.announced(subject) }
    }

    /// Words may have been missed.
    public func reloaded() {
        guard let keeper = state.withLock({ $0.keeper }) else { return }
        Task { await keeper.reloaded() }
    }

    /// However many changes there are, there is one look at a time, and one after the last of them.
    ///
    /// - Parameter tenants: Whose revocations changed, by name.
    public func revocationsChanged(tenants: Set<String>) {
        let keeper = state.withLock { state -> RefreshKeeper? in
            guard let keeper = state.keeper else { return nil }
            state.due.formUnion(tenants)
            guard !state.isLooking else { return nil }
            state.isLooking = true
            return keeper
        }
        guard let keeper else { return }
        Task {
            while let due = takeDue() { await keeper.revocationsChanged(tenants: due) }
        }
    }

    /// - Returns: Nil: nothing is due any more, and the next change begins a new look.
    private func takeDue() -> Set<String>? {
        state.withLock { state in
            let due = state.due
            state.due = []
            state.isLooking = !due.isEmpty
            return due.isEmpty ? nil : due
        }
    }
}
