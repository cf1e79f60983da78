import AsyncHTTPClient
import Authorization
import Counting
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
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
    private static let timeout = TimeAmount.seconds(10)
    /// For all that is left at the end.
    private static let timeoutAtEnd = TimeAmount.seconds(3)

    /// Of the requests that nobody has decided on before.
    let share: Double
    private let endpoint: ProviderURL
    private let message: TraceMessage
    private let client: HTTPClient
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
        let clients = ProviderClients(group: group, tls: .makeClientConfiguration())
        client = HTTPClient(eventLoopGroup: group, configuration: clients.configuration(for: endpoint))
    }

    /// Traces that were sent, and those that were lost.
    var counts: TraceCounts { queue.withLock { $0.counts } }

    func add(_ traces: [FinishedTrace]) { queue.withLock { $0.add(traces) } }

    /// Sends what comes, until it is cancelled.
    func run() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.interval)
            while !Task.isCancelled, await sendNext(by: .now() + Self.timeout) {}
        }
    }

    /// Sends what is left. To be called once, when ``run()`` is over.
    func stop() async {
        let end = NIODeadline.now() + Self.timeoutAtEnd
        while NIODeadline.now() < end, await sendNext(by: end, isLast: true) {}
        queue.withLock { $0.giveUp() }
        // Fails only if it was shut down before.
        try? await client.shutdown()
    }

    /// Gives whether there may be more to send at once.
    private func sendNext(by deadline: NIODeadline, isLast: Bool = false) async -> Bool {
        let batch = queue.withLock { $0.batch(at: Clock.monotonic(), isLast: isLast) }
        guard let batch else { return false }
        let (outcome, reason) = await send(message.bytes(batch), by: deadline)
        queue.withLock { $0.settle(batch.count, outcome, at: Clock.monotonic()) }
        tell(outcome, reason)
        return outcome != .failed
    }

    private func send(_ bytes: [UInt8], by deadline: NIODeadline) async -> (TraceQueue.Outcome, String) {
        var request = HTTPClientRequest(url: endpoint.text)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: TraceMessage.contentType)
        request.headers.add(name: "User-Agent", value: "gatehouse")
        request.body = .bytes(bytes)
        do {
            let response = try await client.execute(request, deadline: deadline)
            // To its end, so that the connection serves again; an answer of OTLP is short.
            _ = try await response.body.collect(upTo: 64 << 10)
            switch response.status.code {
            case 200..<300: return (.taken, "")
            // OTLP 1.x, "Failures": only these may be tried again.
            case 429, 502, 503, 504: return (.failed, "status \(response.status.code)")
            default: return (.refused, "status \(response.status.code)")
            }
        } catch let error as HTTPClientError {
            return (.failed, error.shortDescription)
        } catch {
            return (.failed, "no connection")
        }
    }

    /// Once when it begins, once when it is over.
    private func tell(_ outcome: TraceQueue.Outcome, _ reason: String) {
        let isFailing = outcome != .taken
        let hasChanged = hasFailed.withLock { hasFailed in
            defer { hasFailed = isFailing }
            return hasFailed != isFailing
        }
        guard hasChanged else { return }
        let address: Logger.MetadataValue = "\(endpoint.host):\(endpoint.port)"
        if isFailing {
            logger.warning("traces cannot be sent", metadata: ["collector": address, "reason": "\(reason)"])
        } else {
            logger.info("traces are sent again", metadata: ["collector": address])
        }
    }
}
