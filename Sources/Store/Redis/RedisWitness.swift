/// The latest change that this instance knows was made. If the stream does not have it, Redis has lost what it
/// acknowledged, or another server took over that never had it.
struct RedisWitness {
    /// ``RedisStreamID/zero``: none yet.
    private(set) var latest = RedisStreamID.zero
    /// What was acknowledged since a load began, while one is under way.
    private var sinceLoadBegan: RedisStreamID?
    /// The last place that the stream was found to have, and the connection on which it was.
    private var proof: (place: RedisPosition, connection: UInt64)?

    /// It was read, or its writing acknowledged.
    mutating func saw(_ id: RedisStreamID) {
        latest = max(latest, id)
        if let sinceLoadBegan { self.sinceLoadBegan = max(sinceLoadBegan, id) }
    }

    mutating func loadBegan() {
        if sinceLoadBegan == nil { sinceLoadBegan = .zero }
    }

    /// What was lost before is dealt with: from here on the stream as it was then counts, and what came after.
    mutating func loaded(_ last: RedisStreamID) {
        latest = max(last, sinceLoadBegan ?? .zero)
        sinceLoadBegan = nil
    }

    /// Whether that place was found in the stream on that connection, and nothing was looked for since.
    func isProved(_ place: RedisPosition, _ connection: UInt64) -> Bool {
        proof?.place == place && proof?.connection == connection
    }

    mutating func proved(_ place: RedisPosition, _ connection: UInt64) { proof = (place, connection) }
}
