/// The connections of one event loop to one server, and the requests that wait for one, as numbers: what to do next
/// follows from them. ``ServerPool`` holds the connections themselves.
struct PoolState: Equatable {
    enum RequestAction: Equatable {
        case useIdle
        /// Wait, and open a connection.
        case waitAndConnect
        /// Wait for one that is being opened or comes back.
        case wait
        case refuse
    }

    enum ReadyAction: Equatable {
        case serveWaiting
        case keepIdle
    }

    enum LossAction: Equatable {
        case nothing
        /// Someone waits, and there is room for another connection.
        case connect
    }

    struct FailureAction: Equatable {
        /// How many of those who have waited longest are to be told.
        var told: Int
        /// Someone else still waits, and nothing that is being opened will come for them.
        var connects: Bool
    }

    /// Requests of the gateway's own that may have connections beyond the limit: those that hold the others may be
    /// waiting for what they bring.
    static let ownConnections = 32

    let maximumConnections: Int
    let maximumWaiting: Int
    /// Whether a connection is taken to carry many requests, so that one at a time is opened. Learned from the first
    /// connection where the server's address does not tell.
    private(set) var sharesConnections: Bool
    /// Connections that carry many requests.
    private(set) var shared = 0
    private(set) var idle = 0
    private(set) var busy = 0
    private(set) var connecting = 0
    private(set) var waiting = 0

    init(maximumConnections: Int, maximumWaiting: Int, sharesConnections: Bool = false) {
        self.maximumConnections = max(1, maximumConnections)
        self.maximumWaiting = maximumWaiting
        self.sharesConnections = sharesConnections
    }

    var open: Int { shared + idle + busy + connecting }

    /// Whether connections were opened beyond the limit, for the gateway's own requests.
    var isOverfull: Bool { open > maximumConnections }

    /// - Parameter isOwn: Whether it is one of the gateway's own, for which there is always room.
    mutating func requestArrived(isOwn: Bool = false) -> RequestAction {
        if idle > 0 {
            idle -= 1
            busy += 1
            return .useIdle
        }
        let most = isOwn ? maximumConnections + Self.ownConnections : maximumConnections
        if open < most, !sharesConnections || connecting == 0 {
            connecting += 1
            waiting += 1
            return .waitAndConnect
        }
        guard isOwn || waiting < maximumWaiting + connecting else { return .refuse }
        waiting += 1
        return .wait
    }

    /// A connection stands. Whoever has waited longest gets it.
    mutating func connected() -> ReadyAction {
        connecting -= 1
        sharesConnections = false
        return becameFree()
    }

    /// An exchange is over and its connection can take another.
    mutating func released() -> ReadyAction {
        busy -= 1
        return becameFree()
    }

    /// A connection could not be opened. One waiter is told, or all when there is no connection that could come to
    /// serve them.
    mutating func failedToConnect() -> FailureAction {
        connecting -= 1
        let told = shared + busy + connecting == 0 ? waiting : min(1, waiting)
        waiting -= told
        let connects = needsConnection
        if connects { connecting += 1 }
        return FailureAction(told: told, connects: connects)
    }

    mutating func waiterLeft() {
        waiting -= 1
    }

    mutating func idleClosed() {
        idle -= 1
    }

    mutating func busyClosed() -> LossAction {
        busy -= 1
        return connectIfNeeded()
    }

    // MARK: Connections that carry many requests

    /// One stands. Waiting requests are served from it as far as it has room.
    mutating func sharedConnected() {
        connecting -= 1
        shared += 1
        sharesConnections = true
    }

    /// A waiting request got a place on a shared connection.
    mutating func waiterServed() {
        waiting -= 1
    }

    /// A connection that was waited for stands, and may not be enough.
    mutating func reconsider() -> LossAction { connectIfNeeded() }

    /// One is gone, or takes no more requests.
    mutating func sharedClosed() -> LossAction {
        shared -= 1
        return connectIfNeeded()
    }

    private var needsConnection: Bool {
        // One that will be shared is enough for all who wait.
        let served = sharesConnections && connecting > 0 ? waiting : connecting
        return waiting > served && open < maximumConnections
    }

    private mutating func connectIfNeeded() -> LossAction {
        guard needsConnection else { return .nothing }
        connecting += 1
        return .connect
    }

    private mutating func becameFree() -> ReadyAction {
        guard waiting > 0 else {
            idle += 1
            return .keepIdle
        }
        waiting -= 1
        busy += 1
        return .serveWaiting
    }
}
