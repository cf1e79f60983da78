import HTTPCore
import Upstream

/// What a connection's client has not taken yet, and how much servers may send for it meanwhile.
struct HTTP2BackPressure {
    /// Passed to the streams at the end of the loop's turn.
    struct Changes {
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

    private var changes = Changes()

    /// Sets the bytes held for the client.
    ///
    /// - Returns: Whether this is the first change since the last ``takeChanges()``.
    mutating func update(held: Int, _ limits: HTTP2Limits.Sending) -> Bool {
        let holds = held > (holdsServers ? limits.queueLowMark : limits.queueHighMark)
        guard holds != holdsServers else { return false }
        holdsServers = holds
        defer { changes.holdsServersChanged = true }
        return changes.isEmpty
    }

    /// A stream may send again.
    ///
    /// - Returns: Whether this is the first change since the last ``takeChanges()``.
    mutating func freed(_ stream: UInt32) -> Bool {
        defer { changes.freed.append(stream) }
        return changes.isEmpty
    }

    mutating func takeChanges() -> Changes {
        defer { changes = Changes() }
        return changes
    }
}
