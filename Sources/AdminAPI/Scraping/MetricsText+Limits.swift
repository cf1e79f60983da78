import Counting

extension MetricsText {
    /// Requests over a rate limit. Only what has happened has a line.
    mutating func limits(_ counts: [LimitCount], _ tenants: [String]) {
        head("gatehouse_rate_limited_total", "counter", "Requests over a rate limit; `observe` let them through.")
        for count in counts {
            let limit = Self.escaped(count.limit)
            add("gatehouse_rate_limited_total{tenant=\"\(tenants[count.tenant])\",limit=\"\(limit)\",")
            add("mode=\"\(count.mode.rawValue)\"} \(count.count)\n")
        }
    }
}
