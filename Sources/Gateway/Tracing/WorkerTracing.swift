import HTTPCore
import Time

/// One event loop's traces: which requests have one, and those that wait to be handed over.
final class WorkerTracing {
    private let exporter: TraceExporter
    private var sampler: TraceSampler
    private var finished: [FinishedTrace] = []

    init(_ exporter: TraceExporter) {
        self.exporter = exporter
        sampler = TraceSampler(share: exporter.share)
    }

    /// - Returns: Nil for a request that is not traced.
    func begin(
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

    func finish(_ trace: FinishedTrace) { finished.append(trace) }

    /// Hands over what is finished.
    func flush() {
        guard !finished.isEmpty else { return }
        exporter.add(finished)
        finished.removeAll(keepingCapacity: true)
    }
}
