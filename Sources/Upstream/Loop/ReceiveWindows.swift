/// How much servers that speak HTTP/2 may send ahead on the streams for one client's connection. What a server was let
/// send comes even if the client stops reading meanwhile, and would have to be kept; so the windows of all its streams
/// together are bounded. A stream that is alone gets a whole window, many share.
package struct ReceiveWindows {
    /// Bytes for all streams, besides ``least`` for each.
    package static let total = 312 << 10
    /// Each stream may send so many, or it would never go on.
    package static let least = 2 << 10
    /// More on one stream helps nobody who is near.
    package static let most = 65_535

    /// Bytes that the windows of all streams hold.
    package private(set) var held = 0

    package init() {}

    /// The window of a stream that goes with no others.
    ///
    /// - Parameter outstanding: Bytes that the server may still send.
    /// - Returns: The same, or a greater one that the server is to be told of: when half of it is used up.
    package static func window(outstanding: Int) -> Int { 2 * outstanding <= most ? most : outstanding }

    /// The window that a stream gets now.
    ///
    /// - Parameters:
    ///   - outstanding: Bytes that the server may still send on it.
    ///   - share: What the stream holds of ``held``; changed with it.
    ///   - streams: How many streams share, this one among them.
    /// - Returns: `outstanding`, or a greater window that the server is to be told of.
    package mutating func window(outstanding: Int, share: inout Int, streams: Int) -> Int {
        held -= share
        let fair = min(Self.most, Self.total / max(streams, 1), Self.total - held)
        let target = max(Self.least, fair)
        share = 2 * outstanding <= target ? target : outstanding
        held += share
        return share
    }

    /// The stream is over.
    package mutating func giveBack(_ share: inout Int) {
        held -= share
        share = 0
    }
}
