/// The two text formats that metrics are written in.
enum MetricsFormat: Sendable {
    /// Prometheus' own, 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.0.
    case openMetrics

    /// - Parameter accept: The fields of this name. Who names OpenMetrics gets it, as from Prometheus' own libraries:
    ///   whatever the weights say, a scraper that knows it prefers it.
    init(accept: [String]) {
        let names = accept.flatMap { $0.split(separator: ",") }.map { member in
            member.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        }
        self = names.contains("application/openmetrics-text") ? .openMetrics : .prometheus
    }

    var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }
}
