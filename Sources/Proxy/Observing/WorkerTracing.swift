package import HTTPCore
package import Time
import Upstream

/// Where finished traces go.
package protocol TraceSink: AnyObject, Sendable {
    /// The share of requests without a sampling decision that are traced, from 0 to 1.
    var share: Double { get }

    func add(_ traces: [FinishedTrace])
}

/// One event loop's traces: starts those that are sampled, and queues finished ones.
package final class WorkerTracing {
    private let sink: any TraceSink
    private var sampler: TraceSampler
    private var finished: [FinishedTrace] = []

    init(_ sink: any TraceSink) {
        self.sink = sink
        sampler = TraceSampler(share: sink.share)
    }

    /// - Returns: Nil for a request that is not traced.
    package func begin(
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        isTrusted: Bool,
        at now: MonotonicTime,
        _ identifiers: inout IdentifierGenerator
    ) -> RequestTrace? {
        if let parent = TraceParent(head, bytes) {
            guard sampler.samples(parent, isTrusted: isTrusted, at: now, draw: identifiers.next()) else { return nil }
            return RequestTrace(parent, traceLow: 0, head, bytes, at: now, &identifiers)
        }
        let traceLow = identifiers.next()
        guard sampler.samples(traceLow: traceLow) else { return nil }
        return RequestTrace(nil, traceLow: traceLow, head, bytes, at: now, &identifiers)
    }

    package func finish(_ trace: FinishedTrace) { finished.append(trace) }

    /// Hands over finished traces.
    package func flush() {
        guard !finished.isEmpty else { return }
        sink.add(finished)
        finished.removeAll(keepingCapacity: true)
    }
}
