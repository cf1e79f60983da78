import Counting

/// The metrics in Prometheus' text format 0.0.4, or as OpenMetrics 1.0.0.
struct MetricsText {
    private(set) var text = ""

    init(_ reading: MetricsReading, _ format: MetricsFormat = .prometheus) {
        for metric in Metric.all {
            guard let samples = metric.samples(reading) else { continue }
            // In OpenMetrics the name of a counter's family is without the suffix `_total`.
            let isSuffixed = format == .openMetrics && metric.kind == .counter && metric.name.hasSuffix("_total")
            let family = isSuffixed ? String(metric.name.dropLast(6)) : metric.name
            text += "# HELP \(family) \(metric.help)\n# TYPE \(family) \(metric.kind.rawValue)\n"
            for sample in samples { add(sample, of: metric) }
        }
        if format == .openMetrics { text += "# EOF\n" }
    }

    private mutating func add(_ sample: Metric.Sample, of metric: Metric) {
        let labels = zip(metric.labels, sample.labels).map { "\($0)=\"\(Self.escaped($1))\"" }
        switch sample.value {
        case .count(let count): add(metric.name, labels, "\(count)")
        case .measure(let value): add(metric.name, labels, value == .infinity ? "+Inf" : "\(value)")
        case .histogram(let histogram):
            var total: UInt64 = 0
            for (bound, count) in zip(histogram.scale.seconds.map { "\($0)" } + ["+Inf"], histogram.counts) {
                total += count
                add(metric.name + "_bucket", labels + ["le=\"\(bound)\""], "\(total)")
            }
            add(metric.name + "_sum", labels, "\(Double(histogram.sum) / 1_000_000_000)")
            add(metric.name + "_count", labels, "\(total)")
        }
    }

    private mutating func add(_ name: String, _ labels: [String], _ value: String) {
        text += name
        if !labels.isEmpty { text += "{\(labels.joined(separator: ","))}" }
        text += " \(value)\n"
    }

    static func escaped(_ label: String) -> String {
        label.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
    }
}
