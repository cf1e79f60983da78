import Authorization
import Counting
import Logging
import NIOCore
import OutgoingHTTP
import Proxy
import SharedState
import Synchronization
import Tenants
import Time
import Upstream

/// Sends finished traces to a collector by OTLP/HTTP, beside the requests: a collector that is slow or away costs
/// traces and nothing else.
final class TraceExporter: TraceSink {
    private static let interval = Duration.milliseconds(500)
    /// For a message as a whole.
    private static let timeout = Duration.seconds(10)
    /// For all that is left at the end.
    private static let timeoutAtEnd = Duration.seconds(3)
    /// Bytes; a response of OTLP is short.
    private static let mostBytes = 64 << 10

    /// Of requests without a sampling decision of the client.
    let share: Double
    private let endpoint: ProviderURL
    private let message: TraceMessage
    private let http: OutgoingHTTP
    private let logger: Logger
    private let queue = Mutex(TraceQueue())
    private let hasFailed = Mutex(false)

    /// - Parameters:
    ///   - group: Where its connections live.
    /// - Returns: Nil for an address that the configuration cannot have.
    init?(_ settings: TracingSettings, group: any EventLoopGroup, logger: Logger) {
        guard let endpoint = ProviderURL(settings.endpoint, allowsPlain: true) else { return nil }
        self.endpoint = endpoint
        self.logger = logger
        share = settings.sample
        message = TraceMessage(resource: [
            TraceSpan.Attribute("service.name", .text("gatehouse")),
            TraceSpan.Attribute("service.instance.id", .text(String(UInt64.random(in: .min ... .max), radix: 16))),
        ])
        http = OutgoingHTTP(group: group)
    }

    /// Traces that were sent, and those that were lost.
    var counts: TraceCounts { queue.withLock { $0.counts } }

    func add(_ traces: [FinishedTrace]) { queue.withLock { $0.add(traces) } }

    /// Sends what comes, until it is cancelled.
    func run() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.interval)
            while !Task.isCancelled, await sendNext(within: Self.timeout) {}
        }
    }

    /// Sends what is left. To be called once, when ``run()`` is over.
    func stop() async {
        let end = ContinuousClock.now + Self.timeoutAtEnd
        while .now < end, await sendNext(within: end - .now, isLast: true) {}
        queue.withLock { $0.giveUp() }
        await http.shutdown()
    }

    /// Gives whether there may be more to send at once.
    private func sendNext(within limit: Duration, isLast: Bool = false) async -> Bool {
        let batch = queue.withLock { $0.batch(at: Clock.monotonic(), isLast: isLast) }
        guard let batch else { return false }
        let (outcome, reason) = await send(message.bytes(batch), within: limit)
        queue.withLock { $0.settle(batch.count, outcome, at: Clock.monotonic()) }
        log(outcome, reason)
        return outcome != .failed
    }

    private func send(_ bytes: [UInt8], within limit: Duration) async -> (TraceQueue.Outcome, String) {
        let request = OutgoingRequest(
            method: "POST",
            url: endpoint.text,
            origin: endpoint.origin,
            fields: [("Content-Type", TraceMessage.contentType), ("User-Agent", "gatehouse")],
            body: bytes
        )
        do throws(OutgoingHTTPError) {
            let response = try await http.send(request, within: limit, mostBytes: Self.mostBytes)
            switch response.status {
            case 200..<300: return (.taken, "")
            // OTLP 1.x, "Failures": only these may be tried again.
            case 429, 502, 503, 504: return (.failed, "status \(response.status)")
            default: return (.refused, "status \(response.status)")
            }
        } catch {
            switch error.kind {
            case .timeLimit, .noFreeConnection, .connectTimeout, .client: return (.failed, error.description)
            // Thrown for 2xx only: the collector has them.
            case .bodyTooLong: return (.taken, "")
            case .unknownHost, .notHTTP, .system, .other: return (.failed, "no connection")
            }
        }
    }

    /// Once when it begins, once when it is over.
    private func log(_ outcome: TraceQueue.Outcome, _ reason: String) {
        let isFailing = outcome != .taken
        let hasChanged = hasFailed.withLock { hasFailed in
            defer { hasFailed = isFailing }
            return hasFailed != isFailing
        }
        guard hasChanged else { return }
        let address: Logger.MetadataValue = "\(endpoint.origin.host):\(endpoint.origin.port)"
        if isFailing {
            logger.warning("traces cannot be sent", metadata: ["collector": address, "reason": "\(reason)"])
        } else {
            logger.info("traces are sent again", metadata: ["collector": address])
        }
    }
}
