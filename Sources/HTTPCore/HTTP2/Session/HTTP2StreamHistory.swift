/// Which streams there have been, and how the latest of them ended: this decides on frames for streams that are not
/// open (RFC 9113 section 5.1).
@usableFromInline
struct HTTP2StreamHistory: Sendable {
    enum Ending: Sendable {
        /// Both sides have sent END_STREAM: nothing can be under way any more.
        case ended
        case resetByPeer
        /// Frames that the peer sent before it knew are under way, and are harmless.
        case resetByUs
    }

    /// A burst of refusals within one round trip may cause this many resets.
    private static let resetsKept = 512
    private static let othersKept = 64
    /// Identifiers have 31 bits; this one records how the stream ended.
    private static let resetByPeerBit: UInt32 = 1 << 31

    var highestPeerStream: UInt32 = 0
    /// The next one that a client opens.
    @usableFromInline private(set) var nextOwnStream: UInt32 = 1
    private var resetsByUs: [UInt32] = []
    private var others: [UInt32] = []
    private var nextReset = 0
    private var nextOther = 0

    /// Whether no frame has opened the stream yet, nor a later stream closed it implicitly.
    func isIdle(_ stream: UInt32, _ role: HTTP2Session.Role) -> Bool {
        let isOwn = (stream & 1 == 1) == (role == .client)
        return isOwn ? stream >= nextOwnStream : stream > highestPeerStream
    }

    /// Unused identifiers of a client.
    @inlinable var ownStreamsLeft: Int {
        nextOwnStream > 0x7fff_ffff ? 0 : Int((0x7fff_ffff - nextOwnStream) / 2) + 1
    }

    mutating func takeOwnStream() -> UInt32 {
        defer { nextOwnStream += 2 }
        return nextOwnStream
    }

    // MARK: Endings

    mutating func note(_ id: UInt32, _ ending: Ending) {
        switch ending {
        case .ended: Self.put(id, into: &others, at: &nextOther, most: Self.othersKept)
        case .resetByPeer:
            Self.put(id | Self.resetByPeerBit, into: &others, at: &nextOther, most: Self.othersKept)
        case .resetByUs: Self.put(id, into: &resetsByUs, at: &nextReset, most: Self.resetsKept)
        }
    }

    /// Nil if it is not remembered.
    func ending(of id: UInt32) -> Ending? {
        if resetsByUs.contains(id) { return .resetByUs }
        if others.contains(id) { return .ended }
        return others.contains(id | Self.resetByPeerBit) ? .resetByPeer : nil
    }

    private static func put(_ entry: UInt32, into ring: inout [UInt32], at next: inout Int, most: Int) {
        if ring.count < most {
            ring.append(entry)
        } else {
            ring[next] = entry
            next = next + 1 == most ? 0 : next + 1
        }
    }
}
