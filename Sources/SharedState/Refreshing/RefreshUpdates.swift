import Synchronization

/// Tells the service of refreshes what happens to sessions elsewhere. It is there before the service is, because who
/// follows the store and who refreshes need each other.
public final class RefreshUpdates: Sendable {
    private struct State {
        var service: RefreshService?
        /// Whether the service is looking through its sessions.
        var isLooking = false
        /// The tenants that it has still to look through, by name: something has changed since it began.
        var due: Set<String> = []
    }

    private let state = Mutex(State())

    public init() {}

    public func tell(_ service: RefreshService) { state.withLock { $0.service = service } }

    public func announced(_ subject: String) {
        guard let service = state.withLock({ $0.service }) else { return }
        Task { await service.announced(subject) }
    }

    /// Words may have been missed.
    public func reloaded() {
        guard let service = state.withLock({ $0.service }) else { return }
        Task { await service.reloaded() }
    }

    /// However many changes there are, there is one look at a time, and one after the last of them.
    ///
    /// - Parameter tenants: Whose revocations changed, by name.
    public func revocationsChanged(tenants: Set<String>) {
        let service = state.withLock { state -> RefreshService? in
            guard let service = state.service else { return nil }
            state.due.formUnion(tenants)
            guard !state.isLooking else { return nil }
            state.isLooking = true
            return service
        }
        guard let service else { return }
        Task {
            while let due = takeDue() { await service.revocationsChanged(tenants: due) }
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
