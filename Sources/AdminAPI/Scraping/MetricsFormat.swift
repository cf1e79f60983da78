/// The two text formats that metrics are written in.
enum MetricsFormat: Sendable {
    /// Prometheus' own, 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.0.
    case openMetrics

    /// - Parameter accept: The `Accept` fields. OpenMetrics is chosen if it is named, whatever its weight, as Prometheus'
    ///   own libraries do.
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
