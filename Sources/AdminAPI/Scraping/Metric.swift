import Counting

/// A family of metrics. Its row in ``Metric/all`` is used by the metrics text, the dashboard's report, and the test of the
/// table in docs/operations.md.
struct Metric: Sendable {
    /// The raw values are Prometheus' names.
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    enum Value: Sendable {
        case count(UInt64)
        case measure(Double)
        /// Of nanoseconds; written in seconds.
        case histogram(Histogram)
    }

    /// One series of the family.
    struct Sample: Sendable {
        /// The values of the family's labels, in their order.
        let labels: [String]
        let value: Value

        init(_ labels: [String], _ count: some BinaryInteger) {
            self.init(labels, .count(UInt64(clamping: count)))
        }

        init(_ labels: [String], _ value: Value) {
            self.labels = labels
            self.value = value
        }
    }

    let name: String
    let kind: Kind
    /// One line.
    let help: String
    let labels: [String]
    /// Its series in a reading; nil to omit the family.
    let samples: @Sendable (MetricsReading) -> [Sample]?

    init(
        _ name: String,
        _ kind: Kind,
        _ help: String,
        labels: [String],
        _ samples: @escaping @Sendable (MetricsReading) -> [Sample]?
    ) {
        self.name = name
        self.kind = kind
        self.help = help
        self.labels = labels
        self.samples = samples
    }

    /// One series without labels.
    init(_ name: String, _ kind: Kind, _ help: String, _ value: @escaping @Sendable (MetricsReading) -> Value?) {
        self.init(name, kind, help, labels: []) { reading in value(reading).map { [Sample([], $0)] } }
    }

    /// - Parameters:
    ///   - keys: Labels.
    ///   - label: Another label.
    /// - Returns: Counts by the values of `keys` and then by the value of `label`, summed over all other labels.
    func counts(of keys: [String], by label: String, in reading: MetricsReading) -> [[String]: [String: UInt64]] {
        let keyIndices = keys.compactMap(labels.firstIndex(of:))
        guard let labelIndex = labels.firstIndex(of: label), keyIndices.count == keys.count else {
            assertionFailure("\(name) has no such labels")
            return [:]
        }
        var sums: [[String]: [String: UInt64]] = [:]
        for sample in samples(reading) ?? [] {
            guard case .count(let count) = sample.value else { continue }
            sums[keyIndices.map { sample.labels[$0] }, default: [:]][sample.labels[labelIndex], default: 0] += count
        }
        return sums
    }
}
