/// The changes that Redis acknowledged to this instance and that it has not read yet. If the stream lacks one of them,
/// Redis has lost what it acknowledged, or another server took over that never had it.
///
/// All writes on one connection go to one server, whose history either has all of them up to one or lost that one too:
/// so the latest of each connection stands for all before it. The latest of all would not do: after a failover it may
/// be one that the new master took, while the one before it was lost with the old master.
struct RedisWitness {
    private struct Acknowledged {
        var id: RedisStreamID
        /// Nil: it is not known which one it was.
        let connection: UInt64?
        var precedesLoad = false
    }

    /// Connections on which changes may be acknowledged between two reads. Beyond that everything is loaded again.
    static let limit = 64

    private var acknowledged: [Acknowledged] = []
    private var isLoading = false
    /// Whether one was forgotten for ``limit``'s sake: only a load makes up for it.
    private(set) var needsLoad = false
    /// The last place that the stream was found to have, and the connection on which it was.
    private var proof: (place: RedisPosition, connection: UInt64)?

    /// What the stream has to have.
    var unread: [RedisStreamID] { acknowledged.map(\.id) }

    /// - Parameter connection: On which it was acknowledged; nil if that cannot be told.
    mutating func saw(_ id: RedisStreamID, on connection: UInt64?) {
        if let connection, let index = acknowledged.firstIndex(where: { $0.connection == connection }) {
            acknowledged[index].id = max(acknowledged[index].id, id)
            acknowledged[index].precedesLoad = false
            return
        }
        if acknowledged.count == Self.limit {
            acknowledged.removeFirst()
            needsLoad = true
        }
        acknowledged.append(Acknowledged(id: id, connection: connection))
    }

    /// - Parameter found: Of ``unread``, what the stream had when it was read up to `last`.
    mutating func read(upTo last: RedisStreamID, having found: [RedisStreamID]) {
        acknowledged.removeAll { $0.id <= last && found.contains($0.id) }
    }

    mutating func loadBegan() {
        if isLoading { return }
        isLoading = true
        needsLoad = false
        for index in acknowledged.indices { acknowledged[index].precedesLoad = true }
    }

    /// What was lost before is dealt with: from here on the stream as it was when the load began counts, and what came
    /// after.
    mutating func loaded() {
        isLoading = false
        acknowledged.removeAll { $0.precedesLoad }
    }

    /// Whether that place was found in the stream on that connection, and nothing was looked for since.
    func isProved(_ place: RedisPosition, _ connection: UInt64) -> Bool {
        proof?.place == place && proof?.connection == connection
    }

    mutating func proved(_ place: RedisPosition, _ connection: UInt64) { proof = (place, connection) }
}
