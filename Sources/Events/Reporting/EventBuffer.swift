import Synchronization

/// Events on their way to the store: a request puts them here and waits for nothing.
final class EventBuffer: Sendable {
    private struct State {
        /// In the order in which they happened.
        var events: [Event] = []
    }

    private let most: Int
    private let state = Mutex(State())

    /// - Parameter most: The maximum number.
    init(most: Int) {
        self.most = most
    }

    /// - Returns: Whether there was room.
    func add(_ event: Event) -> Bool {
        state.withLock { state in
            guard state.events.count < most else { return false }
            state.events.append(event)
            return true
        }
    }

    /// Takes all of them out.
    func take() -> [Event] {
        state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
    }

    /// Takes those of one stream out.
    func take(ofStream id: String) -> [Event] {
        state.withLock { state in
            guard !state.events.isEmpty else { return [] }
            let taken = state.events.filter { $0.streamID == id }
            if !taken.isEmpty { state.events.removeAll { $0.streamID == id } }
            return taken
        }
    }

    /// Puts back what could not be stored.
    ///
    /// - Returns: Those that there was no room for.
    func putBack(_ events: [Event]) -> [Event] {
        state.withLock { state in
            let room = max(0, most - state.events.count)
            state.events.insert(contentsOf: events.prefix(room), at: 0)
            return Array(events.dropFirst(room))
        }
    }
}
