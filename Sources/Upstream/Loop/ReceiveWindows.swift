/// How much HTTP/2 servers may send ahead on the streams for one client's connection. Bytes within a window arrive even
/// if the client stops reading, and must be kept; so the windows of all its streams together are bounded. A single
/// stream gets a whole window, many share.
package struct ReceiveWindows {
    /// Bytes for all streams, besides ``least`` for each.
    package static let total = 312 << 10
    /// The minimum per stream, without which it would never progress.
    package static let least = 2 << 10
    /// The maximum per stream; with a low round-trip time more does not help.
    package static let most = 65_535

    /// Bytes currently granted to all streams.
    package private(set) var held = 0

    package init() {}

    /// The window of a stream that shares with no others.
    ///
    /// - Parameter outstanding: Bytes that the server may still send.
    /// - Returns: The same, or a greater window to grant: once half of it is used up.
    package static func window(outstanding: Int) -> Int { 2 * outstanding <= most ? most : outstanding }

    /// The current window of a stream.
    ///
    /// - Parameters:
    ///   - outstanding: Bytes that the server may still send on it.
    ///   - share: The stream's part of ``held``; updated with it.
    ///   - streams: How many streams share, this one included.
    /// - Returns: `outstanding`, or a greater window to grant.
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
