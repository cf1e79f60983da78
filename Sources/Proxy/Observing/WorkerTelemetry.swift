import Counting

/// What one event loop reports of its requests: counters, log lines and traces.
struct WorkerTelemetry {
    let accessLog: AccessLogWriter?
    /// Nil if nothing is traced.
    let tracing: WorkerTracing?
    var counters: Counters
    var observedSamples: ObservedSamples
    /// Nil without an admin listener: nobody could see them.
    var refusals: RecentRefusals?
    var log = AccessLogLines()

    /// - Parameter keepsRefusals: Whether there is an admin listener that shows them.
    init(_ accessLog: AccessLogWriter?, _ traces: (any TraceSink)?, tenantCount: Int, keepsRefusals: Bool) {
        self.accessLog = accessLog
        tracing = traces.map { WorkerTracing($0) }
        counters = Counters(tenantCount: tenantCount)
        observedSamples = ObservedSamples(tenantCount: tenantCount)
        refusals = keepsRefusals ? RecentRefusals() : nil
    }

    mutating func grow(tenantCount: Int) {
        counters.grow(tenantCount: tenantCount)
        observedSamples.grow(tenantCount: tenantCount)
    }

    /// Hands over log lines and traces.
    mutating func flush() {
        flushLog()
        tracing?.flush()
    }

    mutating func flushLog() {
        guard let accessLog, log.count > 0 else { return }
        accessLog.write(log.take())
    }
}
