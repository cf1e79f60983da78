import HTTPCore
import Upstream

/// What a connection's client has not taken, and how much servers may send for it meanwhile.
struct HTTP2BackPressure {
    enum Change {
        case none
        /// No server is to be read from.
        case holdServers
        case releaseServers
    }

    /// As the channel last said.
    var isWritable = true
    var backlog = ClientBacklog()
    /// Whether no server is read from, since the client has not taken what came before.
    private(set) var holdsServers = false
    /// How much the servers of its streams may send ahead.
    var receiveWindows = ReceiveWindows()

    /// So many bytes are held for the client now.
    mutating func update(held: Int, _ limits: HTTP2Limits.Sending) -> Change {
        if !holdsServers, held > limits.queueHighMark {
            holdsServers = true
            return .holdServers
        }
        if holdsServers, held <= limits.queueLowMark {
            holdsServers = false
            return .releaseServers
        }
        return .none
    }
}
