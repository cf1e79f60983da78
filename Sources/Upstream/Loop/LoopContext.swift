package import Authorization
package import Counting
package import HTTPCore
package import Logging
package import NIOCore
package import Tenants
package import Time

/// What is told of a loop's ticks.
package protocol LoopTickDelegate: AnyObject {
    /// - Returns: Whether the next tick is to come within a tick of the timer wheel.
    func loopTicked(at now: MonotonicTime) -> Bool

    /// The loop has slept for longer than a tick.
    func loopWoke(at now: MonotonicTime)
}

/// What all connections of one event loop share, to clients and to servers: its clock and timers, the end of its turn,
/// and what is used again for each request. Touched by this loop alone, so that it needs no lock.
package final class LoopContext {
    package let eventLoop: any EventLoop
    package let loggers: LoopLoggers
    package let names: ServerNames
    package let allocator = ByteBufferAllocator()
    package var clocks = LoopClocks()
    var ticker = LoopTicker()
    package var timers: TimerWheel
    /// The worker, which is held by the tick that is due.
    package unowned var delegate: (any LoopTickDelegate)?
    package var identifiers = IdentifierGenerator()
    package var spares: LoopSpares
    package let faults: LoopFaults
    /// See ``atEndOfTurn(_:)``.
    private var turnEnd: [() -> Void] = []

    /// - Parameter limits: Of heads that clients send.
    package init(_ eventLoop: any EventLoop, names: ServerNames, logger: Logger, limits: ConnectionLimits) {
        self.eventLoop = eventLoop
        self.names = names
        loggers = LoopLoggers(logger)
        faults = LoopFaults(loggers.clients)
        timers = TimerWheel(now: clocks.moment)
        spares = LoopSpares(limits)
        spares.requests.onMistake = { [faults] in faults.failedInternally(.request, $0) }
        spares.responses.onMistake = { [faults] in faults.failedInternally(.upstreamRequest, $0) }
    }

    // MARK: The end of the loop's turn

    /// Does `work` when whatever the loop does now is done.
    ///
    /// A channel says that it is closed, or takes no more, in the middle of a write, which may be that of any exchange.
    /// What that means for other exchanges waits until then.
    package func atEndOfTurn(_ work: @escaping () -> Void) {
        turnEnd.append(work)
        guard turnEnd.count == 1 else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.endTurn() }
    }

    /// What comes up meanwhile has another turn.
    func endTurn() {
        let works = turnEnd
        turnEnd = []
        for work in works { work() }
    }

    // MARK: Faults

    /// The longest that one request may keep the loop from all others, in nanoseconds.
    package static let longestTurn: UInt64 = 5_000_000

    /// Something happened that must not be possible. It costs one connection, and is counted.
    package func failedInternally(_ place: InternalErrorSite, _ what: StaticString) {
        faults.failedInternally(place, what)
    }

    /// - Parameter length: Nanoseconds, more than ``longestTurn``.
    package func noteStall(_ length: UInt64) { faults.stalls.add(length) }
}

/// What went wrong on a loop that is nobody's fault but the gateway's own.
package final class LoopFaults {
    package fileprivate(set) var stalls = Histogram(.stalls)
    /// By the index of the place.
    package private(set) var internalErrors = Array(repeating: UInt64(0), count: InternalErrorSite.allCases.count)
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    func failedInternally(_ place: InternalErrorSite, _ what: StaticString) {
        assertionFailure("\(place.rawValue): \(what)")
        internalErrors[place.index] += 1
        logger.error("internal error", metadata: ["place": "\(place.rawValue)", "error": "\(what)"])
    }
}

/// What is used again for each request of a loop.
package struct LoopSpares {
    /// Heads that no exchange has.
    package let requests = SpareRequests()
    package let responses = SpareResponses()
    let responseParser = ResponseHeadParser()
    /// For what has passed the parser of clients' heads already, with room for the fields that were added since.
    private(set) var forwardedParser: RequestHeadParser
    /// Room for the fields of HTTP/2; nil while a connection has it.
    private var requestFields: HeaderList? = HeaderList()
    private var responseFields: HeaderList? = HeaderList()
    /// The head that is written of fields of HTTP/2.
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
