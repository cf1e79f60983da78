import Synchronization

/// Results by kind of client, and all failures.
final class RollingLog: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case keepAlive = "on one connection"
        case newConnection = "on a connection of its own"
        case slow = "slow answer"
        case refreshed = "refreshed"
        case message = "message of a WebSocket"
        case moved = "WebSocket that was moved"
    }

    private struct State {
        var counts: [Kind: Int] = [:]
        var wrong: [String] = []
        var isOver = false
    }

    private let state = Mutex(State())

    var isOver: Bool { state.withLock { $0.isOver } }
    var wrong: [String] { state.withLock { $0.wrong } }
    var counts: [Kind: Int] { state.withLock { $0.counts } }

    func end() { state.withLock { $0.isOver = true } }

    func good(_ kind: Kind) { state.withLock { $0.counts[kind, default: 0] += 1 } }

    func bad(_ kind: Kind, _ what: String) { state.withLock { $0.wrong.append("\(kind.rawValue): \(what)") } }

    /// Waits for this many more results of each continuous kind.
    func flow(_ more: Int) async throws {
        let before = counts
        let steady = Kind.allCases.filter { $0 != .moved }
        try await until("requests of all kinds are answered") {
            let now = counts
            return !wrong.isEmpty || steady.allSatisfy { now[$0, default: 0] >= before[$0, default: 0] + more }
        }
    }
}
