import Authorization
import Counting
import HTTPCore
import Time
import Upstream

/// Trace events of a request: beginning, forwarding and end.
extension RequestExchange {
    func beginTrace(_ tracing: WorkerTracing, _ head: RequestHead, _ bytes: Span<UInt8>) {
        record.trace = tracing.begin(
            head,
            bytes,
            isTrusted: peer?.isTrustedProxy == true,
            at: record.startedAt,
            &worker.loop.identifiers
        )
    }
}

extension ForwardingContext {
    /// The request goes to the backend, below the span that begins here.
    mutating func continues(_ trace: RequestTrace, _ outcome: Outcome, at now: MonotonicTime) {
        traceID = (trace.traceHigh, trace.traceLow)
        spanID = trace.sent(outcome, at: now)
        isTraced = true
    }
}

extension Worker {
    /// - Parameter end: When the response was complete.
    func finish(_ trace: RequestTrace, _ record: inout ExchangeRecord, _ peer: Peer, at end: MonotonicTime) {
        record.trace = nil
        let start = UInt64(max(0, unixTime(at: record.startedAt).seconds) * 1e9)
        tracing?.finish(trace.finished(record, peer, at: end, unixStart: start))
    }
}
