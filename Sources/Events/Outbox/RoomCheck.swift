import Synchronization

/// When a channel's streams are counted: once in a while, and while there is no room for every further one. So there
/// may be a few more than the maximum.
final class RoomCheck: Sendable {
    private let state = Mutex((additions: 0, isFull: false))

    /// A stream is added to those of a channel with this maximum.
    func isDue(outOf most: Int) -> Bool {
        state.withLock { state in
            defer { state.additions = (state.additions + 1) % min(64, max(1, most / 16)) }
            return state.isFull || state.additions == 0
        }
    }

    func found(isFull: Bool) { state.withLock { $0.isFull = isFull } }
}
