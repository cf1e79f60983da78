/// The changes that Redis acknowledged to this instance and that it has not read yet. If the stream lacks one of them,
/// Redis has lost acknowledged data, or a server that never had it took over.
///
/// All writes on one connection go to one server, whose history either has all of them up to one or lost that one too:
/// so the latest of each connection covers all before it. The latest of all is not enough: after a failover it may be
/// one that the new master accepted, while the one before it was lost with the old master.
struct RedisWitness {
    private struct Acknowledged {
        var id: RedisStreamID
        /// Nil if unknown.
        let connection: UInt64?
        var precedesLoad = false
    }

    /// Connections on which changes may be acknowledged between two reads. Beyond that everything is loaded again.
    static let limit = 64

    private var acknowledged: [Acknowledged] = []
    private var isLoading = false
    /// Whether one was dropped because of ``limit``: only a load makes up for it.
    private(set) var needsLoad = false
    /// The last position found in the stream, and the connection on which it was.
    private var proof: (position: RedisPosition, connection: UInt64)?

    /// The entries that the stream must have.
    var unread: [RedisStreamID] { acknowledged.map(\.id) }

    /// - Parameter connection: The one on which it was acknowledged; nil if unknown.
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

    /// - Parameter found: The entries of ``unread`` that the stream had when it was read up to `last`.
    mutating func read(upTo last: RedisStreamID, having found: [RedisStreamID]) {
        acknowledged.removeAll { $0.id <= last && found.contains($0.id) }
    }

    mutating func loadBegan() {
        if isLoading { return }
        isLoading = true
        needsLoad = false
        for index in acknowledged.indices { acknowledged[index].precedesLoad = true }
    }

    /// Earlier losses are dealt with: from here on the stream as it was when the load began counts, and later entries.
    mutating func loaded() {
        isLoading = false
        acknowledged.removeAll { $0.precedesLoad }
    }

    /// Whether the position was found in the stream on that connection, and nothing was acknowledged since.
    func isProved(_ position: RedisPosition, _ connection: UInt64) -> Bool {
        proof?.position == position && proof?.connection == connection
    }

    mutating func proved(_ position: RedisPosition, _ connection: UInt64) { proof = (position, connection) }
}
