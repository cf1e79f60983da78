package import Authorization
package import Counting
package import HTTPCore
package import Logging
package import NIOCore
package import Tenants
package import Time

/// Receives a loop's ticks.
package protocol LoopTickDelegate: AnyObject {
    /// - Returns: Whether the next tick must come within one tick of the timer wheel.
    func loopTicked(at now: MonotonicTime) -> Bool

    /// The loop has slept for longer than a tick.
    func loopWoke(at now: MonotonicTime)
}

/// What all connections of one event loop share, to clients and to servers: clock and timers, work at the end of a
/// turn, and objects that requests reuse. Accessed on this loop only, so it needs no lock.
package final class LoopContext {
    package let eventLoop: any EventLoop
    package let loggers: LoopLoggers
    package let names: ServerNames
    package let reachability: ServerReachability
    package let allocator = ByteBufferAllocator()
    package var clocks = LoopClocks()
    var ticker = LoopTicker()
    package var timers: TimerWheel
    /// The worker, which the pending tick holds.
    package unowned var delegate: (any LoopTickDelegate)?
    package var identifiers = IdentifierGenerator()
    package var spares: LoopSpares
    package let faults: LoopFaults
    /// See ``atEndOfTurn(_:)``.
    private var turnEnd: [() -> Void] = []

    /// - Parameters:
    ///   - limits: For request heads.
    ///   - reachability: Shared by all loops.
    package init(
        _ eventLoop: any EventLoop,
        names: ServerNames,
        logger: Logger,
        limits: ConnectionLimits,
        reachability: ServerReachability = ServerReachability()
    ) {
        self.eventLoop = eventLoop
        self.names = names
        self.reachability = reachability
        loggers = LoopLoggers(logger)
        faults = LoopFaults(loggers.clients)
        timers = TimerWheel(now: clocks.moment)
        spares = LoopSpares(limits)
        spares.requests.onMistake = { [faults] in faults.failedInternally(.request, $0) }
        spares.responses.onMistake = { [faults] in faults.failedInternally(.upstreamRequest, $0) }
    }

    // MARK: The end of the loop's turn

    /// Does `work` at the end of the loop's current turn.
    ///
    /// A channel reports that it is closed, or full, in the middle of a write, which may belong to any exchange. The
    /// consequences for other exchanges wait until then.
    package func atEndOfTurn(_ work: @escaping () -> Void) {
        turnEnd.append(work)
        guard turnEnd.count == 1 else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.endTurn() }
    }

    /// Work that is added meanwhile runs in another turn.
    func endTurn() {
        let works = turnEnd
        turnEnd = []
        for work in works { work() }
    }

    // MARK: Faults

    /// Nanoseconds that one request may occupy the loop before it counts as a stall.
    package static let longestTurn: UInt64 = 5_000_000

    /// Something impossible happened. It costs one connection, and is counted.
    package func failedInternally(_ site: InternalErrorSite, _ what: StaticString) {
        faults.failedInternally(site, what)
    }

    /// - Parameter length: Nanoseconds, more than ``longestTurn``.
    package func noteStall(_ length: UInt64) { faults.stalls.add(length) }
}

/// Faults of the gateway itself on one loop.
package final class LoopFaults {
    package fileprivate(set) var stalls = Histogram(.stalls)
    /// By the index of the site.
    package private(set) var internalErrors = Array(repeating: UInt64(0), count: InternalErrorSite.allCases.count)
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    func failedInternally(_ site: InternalErrorSite, _ what: StaticString) {
        assertionFailure("\(site.rawValue): \(what)")
        internalErrors[site.index] += 1
        logger.error("internal error", metadata: ["place": "\(site.rawValue)", "error": "\(what)"])
    }
}

/// Objects that a loop's requests reuse.
package struct LoopSpares {
    /// Heads that no exchange uses.
    package let requests = SpareRequests()
    package let responses = SpareResponses()
    let responseParser = ResponseHeadParser()
    /// For heads that the request parser has accepted already, with space for the fields that were added since.
    private(set) var forwardedParser: RequestHeadParser
    /// For the fields of HTTP/2 requests; nil while a connection uses it.
    private var requestFields: HeaderList? = HeaderList()
    private var responseFields: HeaderList? = HeaderList()
    /// The buffer in which HTTP/2 fields are written as a head.
    package var http2Head = ByteBufferAllocator().buffer(capacity: 4 << 10)

    init(_ limits: ConnectionLimits) {
        forwardedParser = Self.forwardedParser(limits)
    }

    package mutating func takeRequestFields() -> HeaderList { requestFields.take() ?? HeaderList() }

    package mutating func giveBack(requestFields: consuming HeaderList) { self.requestFields = requestFields }

    mutating func takeResponseFields() -> HeaderList { responseFields.take() ?? HeaderList() }

    mutating func giveBack(responseFields: consuming HeaderList) { self.responseFields = responseFields }

    package mutating func adopt(_ limits: ConnectionLimits) { forwardedParser = Self.forwardedParser(limits) }

    private static func forwardedParser(_ limits: ConnectionLimits) -> RequestHeadParser {
        RequestHeadParser(maximumBytes: limits.headerBytes + (64 << 10), maximumFields: limits.headers + 100)
    }
}
