import Synchronization

/// Lets one writer of a stream at a time write on this instance, in the order in which they came: what was reported
/// first is stored first.
final class StreamTurns: Sendable {
    /// Those that wait, by the stream that somebody writes.
    private let waiting = Mutex<[String: [CheckedContinuation<Void, Never>]]>([:])

    /// Waits for one's turn, as long as others' calls of the store take.
    func begin(_ id: String) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                guard waiting[id] != nil else {
                    waiting[id] = []
                    return true
                }
                waiting[id]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func end(_ id: String) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard var others = waiting[id], !others.isEmpty else {
                waiting[id] = nil
                return nil
            }
            let next = others.removeFirst()
            waiting[id] = others
            return next
        }
        next?.resume()
    }
}
