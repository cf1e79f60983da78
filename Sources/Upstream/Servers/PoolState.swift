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
        /// A request that waits gets it at the end of the loop's turn.
        case promise
        case keepIdle
    }

    enum LossAction: Equatable {
        case nothing
        /// Someone waits, and there is room for another connection.
        case connect
    }

    enum WithdrawalAction: Equatable {
        case nothing
        /// As for ``LossAction/connect``.
        case connect
        /// An idle connection is promised in its place.
        case promiseIdle
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
    /// Requests that wait, with those that a server is promised to.
    private(set) var waiting = 0
    /// Servers that are promised to requests that wait: whoever is next when the loop's turn ends gets them.
    private(set) var promised = 0

    init(maximumConnections: Int, maximumWaiting: Int, sharesConnections: Bool = false) {
        self.maximumConnections = max(1, maximumConnections)
        self.maximumWaiting = maximumWaiting
        self.sharesConnections = sharesConnections
    }

    var open: Int { shared + idle + busy + connecting }

    /// Whether connections were opened beyond the limit, for the gateway's own requests.
    var isOverfull: Bool { open > maximumConnections }

    /// Whether no count has fallen below zero, which an event does that cannot happen.
    var isConsistent: Bool { (shared | idle | busy | connecting | waiting | promised) >= 0 }

    /// What has fallen below zero begins anew: the pool goes on with the connections that it has.
    mutating func restoreCounts() {
        (shared, idle, busy) = (max(0, shared), max(0, idle), max(0, busy))
        (connecting, waiting, promised) = (max(0, connecting), max(0, waiting), max(0, promised))
    }

    /// Requests that wait and that no server is promised to.
    var unpromised: Int { max(0, waiting - promised) }

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
        guard isOwn || unpromised < maximumWaiting + connecting else { return .refuse }
        waiting += 1
        return .wait
    }

    /// A connection stands.
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

    /// A place on a shared connection is promised to a request that waits.
    mutating func promisesPlace() { promised += 1 }

    /// A request that waited got a server that was promised.
    mutating func promiseKept() {
        promised -= 1
        waiting -= 1
    }

    /// A server that was promised is gone, or nobody waits for it any more.
    mutating func promiseWithdrawn() -> WithdrawalAction {
        promised -= 1
        if unpromised > 0, idle > 0 {
            idle -= 1
            busy += 1
            promised += 1
            return .promiseIdle
        }
        return connectIfNeeded() == .connect ? .connect : .nothing
    }

    /// A connection could not be opened. One waiter is told, or all when there is no connection that could come to
    /// serve them.
    mutating func failedToConnect() -> FailureAction {
        connecting -= 1
        let told = shared + busy + idle + connecting == 0 ? waiting : min(1, unpromised)
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
        return unpromised > max(0, served) && open < maximumConnections
    }

    private mutating func connectIfNeeded() -> LossAction {
        guard needsConnection else { return .nothing }
        connecting += 1
        return .connect
    }

    private mutating func becameFree() -> ReadyAction {
        guard unpromised > 0 else {
            idle += 1
            return .keepIdle
        }
        promised += 1
        busy += 1
        return .promise
    }
}
