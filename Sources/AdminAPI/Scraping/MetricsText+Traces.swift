import Counting

extension MetricsText {
    /// - Parameter counts: Nil where nothing is traced.
    mutating func traces(_ counts: TraceCounts?) {
        head("gatehouse_traces_sent_total", "counter", "Traces that the collector has taken.")
        add("gatehouse_traces_sent_total \(counts?.sent ?? 0)\n")
        head(
            "gatehouse_traces_dropped_total",
            "counter",
            "Traces that were lost: too many waited, or nobody took them."
        )
        add("gatehouse_traces_dropped_total \(counts?.dropped ?? 0)\n")
    }
}
