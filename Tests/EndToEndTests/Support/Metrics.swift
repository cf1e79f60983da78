import NIOCore
import TestSupport

/// A scrape in the Prometheus text format, read strictly.
struct Metrics: Sendable {
    struct Sample: Sendable {
        var name: String
        var labels: [String: String]
        var value: Double
    }

    private(set) var samples: [Sample] = []
    /// By metric name: counter, gauge or histogram.
    private(set) var types: [String: String] = [:]
    private(set) var helps: Set<String> = []

    /// - Throws: ``Malformed`` for a line that is neither a sample nor a comment.
    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Malformed("the last line of the metrics has no end") }
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 3).map(String.init)
            if line.hasPrefix("# TYPE "), parts.count == 4 {
                guard types[parts[2]] == nil else { throw Malformed("a second TYPE of \(parts[2])") }
                types[parts[2]] = parts[3]
            } else if line.hasPrefix("# HELP "), parts.count >= 3 {
                helps.insert(parts[2])
            } else if !line.hasPrefix("#") {
                samples.append(try Self.sample(String(line)))
            }
        }
    }

    /// The sum of the samples of this name whose labels include all of `labels`; nil without any.
    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        let matching = samples.filter { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
        }
        return matching.isEmpty ? nil : matching.reduce(0) { $0 + $1.value }
    }

    private static func sample(_ line: String) throws -> Sample {
        let name = line.prefix { $0 != "{" && $0 != " " }
        guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") })
        else { throw Malformed("no metric: \(line)") }
        var rest = line.dropFirst(name.count)
        var labels: [String: String] = [:]
        if rest.first == "{" {
            guard let end = rest.lastIndex(of: "}") else { throw Malformed("labels without an end: \(line)") }
            labels = try self.labels(rest[rest.index(after: rest.startIndex)..<end], line)
            rest = rest[rest.index(after: end)...]
        }
        let parts = rest.split(separator: " ")
        guard parts.count == 1, let text = parts.first, let value = Double(text == "+Inf" ? "inf" : String(text)) else {
            throw Malformed("no value: \(line)")
        }
        return Sample(name: String(name), labels: labels, value: value)
    }

    private static func labels(_ text: Substring, _ line: String) throws -> [String: String] {
        var labels: [String: String] = [:]
        var rest = text
        while !rest.isEmpty {
            let name = rest.prefix { $0 != "=" }
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, rest.hasPrefix("=\"") else { throw Malformed("no label: \(line)") }
            rest = rest.dropFirst(2)
            let value = rest.prefix { $0 != "\"" }
            rest = rest.dropFirst(value.count)
            guard rest.first == "\"", labels.updateValue(String(value), forKey: String(name)) == nil else {
                throw Malformed("a label twice or without an end: \(line)")
            }
            rest = rest.dropFirst()
            if rest.first == "," { rest = rest.dropFirst() }
        }
        return labels
    }
}

extension GatewayFixture {
    /// Scrapes until `holds`, since a count may follow its response by a turn of the event loop.
    func metrics(until holds: (Metrics) -> Bool = { _ in true }) async throws -> Metrics {
        var last: Metrics?
        let end = NIODeadline.now() + .patience
        repeat {
            let response = try await admin("/metrics")
            guard response.status == 200 else { throw Malformed("metrics: \(response.status)") }
            let metrics = try Metrics(response.body.text)
            if holds(metrics) { return metrics }
            last = metrics
        } while NIODeadline.now() < end
        let counts = last?.samples.filter { $0.value != 0 && !$0.name.hasSuffix("_bucket") } ?? []
        let shown = counts.map { "\($0.name)\($0.labels) \($0.value)" }.joined(separator: ", ")
        throw NothingCame(description: "waited in vain for a count: \(shown)")
    }
}
