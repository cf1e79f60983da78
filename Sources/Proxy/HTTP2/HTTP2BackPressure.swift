import HTTPCore
import Upstream

/// What a connection's client has not taken yet, and how much servers may send for it meanwhile.
struct HTTP2BackPressure {
    /// Passed to the streams at the end of the loop's turn.
    struct News {
        /// Whether ``HTTP2BackPressure/holdsServers`` has changed.
        var holdsServersChanged = false
        /// Streams that may send again.
        var freed: [UInt32] = []

        var isEmpty: Bool { !holdsServersChanged && freed.isEmpty }
    }

    /// The channel's last report.
    var isWritable = true
    var backlog = ClientBacklog()
    /// Whether reading from all servers is paused, since the client has not taken earlier output.
    private(set) var holdsServers = false
    /// How much the servers of its streams may send ahead.
    var receiveWindows = ReceiveWindows()

    private var news = News()

    /// Sets the bytes held for the client.
    ///
    /// - Returns: Whether there is news where there was none.
    mutating func update(held: Int, _ limits: HTTP2Limits.Sending) -> Bool {
        let holds = held > (holdsServers ? limits.queueLowMark : limits.queueHighMark)
        guard holds != holdsServers else { return false }
        holdsServers = holds
        defer { news.holdsServersChanged = true }
        return news.isEmpty
    }

    /// A stream may send again.
    ///
    /// - Returns: Whether there is news where there was none.
    mutating func freed(_ stream: UInt32) -> Bool {
        defer { news.freed.append(stream) }
        return news.isEmpty
    }

    mutating func takeNews() -> News {
        defer { news = News() }
        return news
    }
}
