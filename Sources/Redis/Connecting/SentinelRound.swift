/// Which sentinel to ask next. A round asks each once, beginning with the one that answered last; a round in which none
/// led to the master ends with a wait.
struct SentinelRound: Equatable {
    private let sentinels: [RedisAddress]
    private var preferred = 0
    private var asked = 0
    /// Whether all that failed in this round did so for a reason that only people can mend.
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

    /// The one that was asked named a master, which is yet to prove it.
    mutating func answered() {
        preferred = (preferred + asked) % max(1, sentinels.count)
        begin()
    }

    /// The one that was asked did not answer, or knew no master.
    mutating func failed(refused: Bool) {
        asked += 1
        allRefused = allRefused && refused
    }

    /// What the sentinel named is not the master, or not there: it may be cut off from the others, so that the round
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
