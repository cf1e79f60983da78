import Counting

/// A family of metrics, declared once: its row in ``Metric/all`` serves what Prometheus reads, the report that the
/// dashboard shows, and the test that keeps the table in docs/operations.md.
struct Metric: Sendable {
    /// The raw values are Prometheus' words.
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    enum Value: Sendable {
        case count(UInt64)
        case measure(Double)
        /// Of nanoseconds; told in seconds.
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
    /// Its series at the moment of a reading; nil where nothing is said of the family.
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
    /// - Returns: By the values of `keys`, and there by that of `label`: counts, summed over all other labels.
    func counts(of keys: [String], by label: String, in reading: MetricsReading) -> [[String]: [String: UInt64]] {
        let places = keys.compactMap(labels.firstIndex(of:))
        guard let place = labels.firstIndex(of: label), places.count == keys.count else {
            assertionFailure("\(name) has no such labels")
            return [:]
        }
        var sums: [[String]: [String: UInt64]] = [:]
        for sample in samples(reading) ?? [] {
            guard case .count(let count) = sample.value else { continue }
            sums[places.map { sample.labels[$0] }, default: [:]][sample.labels[place], default: 0] += count
        }
        return sums
    }
}
