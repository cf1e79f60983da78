import Counting
import Time
import Verification

/// Numbers and times of reports.
extension JSONValue {
    static func count(_ count: UInt64) -> JSONValue { .number(JSONNumber(Int(clamping: count))) }

    static func time(_ unixTime: UnixTime) -> JSONValue { .string(HTTPDate.rfc3339(unixTime)) }

    /// Sorted by name, without zeros.
    static func counts(_ counts: [String: UInt64]?) -> JSONValue {
        var object = JSONObject()
        for (name, number) in (counts ?? [:]).sorted(by: { $0.key < $1.key }) where number > 0 {
            object[name] = count(number)
        }
        return .object(object)
    }

    /// With three decimals at most; null for nil.
    static func decimals(_ value: Double?) -> JSONValue {
        value.flatMap { JSONNumber(($0 * 1000).rounded() / 1000) }.map(JSONValue.number) ?? .null
    }

    /// A histogram of nanoseconds: percentiles in milliseconds (null without values), and the buckets with values in rising
    /// order as lower bound, upper bound (null for the last) and count.
    static func latency(_ histogram: Histogram) -> JSONValue {
        func milliseconds(_ share: Double) -> JSONValue {
            .decimals(
                Quantile.of(share, bounds: histogram.bounds, counts: histogram.counts).map { $0 / 1_000_000 }
            )
        }
        let bounds = histogram.bounds.map { Double($0) / 1_000_000 }
        let buckets = zip([0] + bounds, zip(bounds + [nil], histogram.counts)).filter { $0.1.1 > 0 }
        return [
            "p50_ms": milliseconds(0.5),
            "p90_ms": milliseconds(0.9),
            "p99_ms": milliseconds(0.99),
            "count": .count(histogram.counts.reduce(0, +)),
            "buckets": .array(buckets.map { from, upTo in [.decimals(from), .decimals(upTo.0), .count(upTo.1)] }),
        ]
    }
}
