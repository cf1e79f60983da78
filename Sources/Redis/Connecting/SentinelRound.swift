/// Chooses the next sentinel to ask. A round asks each once, beginning with the last one that replied; a round without
/// a master ends with a wait.
struct SentinelRound: Equatable {
    private let sentinels: [RedisAddress]
    private var preferred = 0
    private var asked = 0
    /// Whether all failures in this round need an operator.
    private(set) var allRefused = true

    /// - Parameter sentinels: At least one.
    init(_ sentinels: [RedisAddress]) {
        self.sentinels = sentinels
    }

    /// - Returns: Nil when all were asked.
    func next() -> RedisAddress? {
        guard asked < sentinels.count else { return nil }
        return sentinels[(preferred + asked) % sentinels.count]
    }

    /// The sentinel named a master, which has to confirm it.
    mutating func responded() {
        preferred = (preferred + asked) % max(1, sentinels.count)
        begin()
    }

    /// The sentinel did not reply, or knew no master.
    mutating func failed(refused: Bool) {
        asked += 1
        allRefused = allRefused && refused
    }

    /// The named server is not the master, or unreachable: the sentinel may be cut off from the others, so the round
    /// begins with the next one.
    mutating func misled() {
        preferred = (preferred + 1) % max(1, sentinels.count)
        begin()
    }

    mutating func begin() {
        asked = 0
        allRefused = true
    }
}
