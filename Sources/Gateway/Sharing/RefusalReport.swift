import Counting
import Events
import Tenants
import Time
import Verification

/// Makes events of refused requests out of the loops' counters: a request costs nothing more, and there is at most one
/// event for a tenant and code at a time, which says how many requests it stands for. A value without I/O.
struct RefusalReport: Sendable {
    /// By tenant and outcome; nil: nothing was counted yet.
    private var known: [UInt64]?

    /// - Parameters:
    ///   - decisions: Of all loops so far, by tenant and outcome. Those of requests without a tenant are the last.
    ///   - names: Of the tenants, by index.
    mutating func events(after decisions: [UInt64], _ names: [String], at now: UnixTime) -> [Event] {
        defer { known = decisions }
        // What was refused before anybody wanted to know is no news.
        guard let known, known.count == decisions.count else { return [] }
        let codes = Outcome.allLabels
        var events: [Event] = []
        for index in decisions.indices where decisions[index] > known[index] {
            let (tenant, outcome) = index.quotientAndRemainder(dividingBy: codes.count)
            guard tenant < names.count, Outcome.isRefusal(outcome) else { continue }
            events.append(
                Event(
                    .refused,
                    tenant: names[tenant],
                    at: now,
                    details: [
                        "code": .string(codes[outcome]),
                        "count": .number(JSONNumber(Int(clamping: decisions[index] - known[index]))),
                    ]
                )
            )
        }
        return events
    }
}

extension Outcome {
    /// - Parameter index: In ``allLabels``.
    fileprivate static func isRefusal(_ index: Int) -> Bool {
        index != Outcome.granted.index && index != Outcome.anonymous.index
    }
}
