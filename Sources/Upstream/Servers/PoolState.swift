/// The connections of one event loop to one server, and the requests that wait for one, as counts that decide what to
/// do next. ``ServerPool`` holds the connections themselves.
struct PoolState: Equatable {
    enum RequestAction: Equatable {
        case useIdle
        /// Wait, and open a connection.
        case waitAndConnect
        /// Wait for one that is being opened or released.
        case wait
        case refuse
    }

    enum ReadyAction: Equatable {
        /// A waiting request gets it at the end of the loop's turn.
        case promise
        case keepIdle
    }

    enum LossAction: Equatable {
        case nothing
        /// A request waits, and another connection is allowed.
        case connect
    }

    enum WithdrawalAction: Equatable {
        case nothing
        /// As for ``LossAction/connect``.
        case connect
        /// An idle connection is promised instead.
        case promiseIdle
    }

    struct FailureAction: Equatable {
        /// How many of the longest-waiting requests fail.
        var failing: Int
        /// Other requests still wait, and no connection is being opened for them.
        var connects: Bool
    }

    /// Connections beyond the limit, for the gateway's own requests only. Requests that hold all other connections may
    /// be waiting for the result of such a request, which must not wait for them in turn.
    static let ownConnections = 32

    let maximumConnections: Int
    let maximumWaiting: Int
    /// Whether connections are presumed to carry many requests, so that only one at a time is opened. Learned from the
    /// first connection if the server's URL does not say.
    private(set) var sharesConnections: Bool
    /// Connections that carry many requests.
    private(set) var shared = 0
    private(set) var idle = 0
    private(set) var busy = 0
    private(set) var connecting = 0
    /// Waiting requests, including those that a connection or stream is promised to.
    private(set) var waiting = 0
    /// Connections and streams promised to waiting requests: the first in the queue get them at the end of the turn.
    private(set) var promised = 0

    init(maximumConnections: Int, maximumWaiting: Int, sharesConnections: Bool = false) {
        self.maximumConnections = max(1, maximumConnections)
        self.maximumWaiting = maximumWaiting
        self.sharesConnections = sharesConnections
    }

    var open: Int { shared + idle + busy + connecting }

    /// Whether there are connections beyond the limit, for the gateway's own requests.
    var isOverfull: Bool { open > maximumConnections }

    /// False if a count is negative, which only an impossible event causes.
    var isConsistent: Bool { (shared | idle | busy | connecting | waiting | promised) >= 0 }

    /// Resets negative counts to zero: the pool goes on with the connections that it has.
    mutating func restoreCounts() {
        (shared, idle, busy) = (max(0, shared), max(0, idle), max(0, busy))
        (connecting, waiting, promised) = (max(0, connecting), max(0, waiting), max(0, promised))
    }

    /// Waiting requests beyond the promised connections and streams.
    var unpromised: Int { max(0, waiting - promised) }

    /// - Parameter isOwn: Whether it is one of the gateway's own, which never find the queue full.
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

    /// A connection is established.
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

    /// A stream of a shared connection is promised to a waiting request.
    mutating func streamPromised() { promised += 1 }

    /// A waiting request got a promised connection or stream.
    mutating func promiseKept() {
        promised -= 1
        waiting -= 1
    }

    /// A promised connection or stream is gone, or no request waits for it any more.
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

    /// A connection could not be opened. One waiting request fails, or all if no other connection could serve them.
    mutating func failedToConnect() -> FailureAction {
        connecting -= 1
        let failing = shared + busy + idle + connecting == 0 ? waiting : min(1, unpromised)
        waiting -= failing
        let connects = needsConnection
        if connects { connecting += 1 }
        return FailureAction(failing: failing, connects: connects)
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

    /// A shared connection is established. It serves waiting requests as far as its streams allow.
    mutating func sharedConnected() {
        connecting -= 1
        shared += 1
        sharesConnections = true
    }

    /// A connection that requests waited for is established, but may not carry them all.
    mutating func reconsider() -> LossAction { connectIfNeeded() }

    /// A shared connection is gone, or takes no more requests.
    mutating func sharedClosed() -> LossAction {
        shared -= 1
        return connectIfNeeded()
    }

    private var needsConnection: Bool {
        // A connection that is being opened is presumed to carry all waiting requests.
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
