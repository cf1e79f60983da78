import Authorization

/// The verifiers beside the event loops, and the queue of checks for them.
struct SlowVerifiers {
    private let all: [SlowVerifier]
    private var next = 0
    var turns = SlowTurns<SlowTask>()

    init(_ all: [SlowVerifier]) { self.all = all }

    mutating func take() -> SlowVerifier {
        next = (next + 1) % all.count
        return all[next]
    }
}
