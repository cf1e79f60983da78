public import Tenants
public import Time

/// How many requests each access rule of a tenant was for, whether they passed or not. Of one event loop, or the sum of
/// all.
public struct RuleCounts: Sendable, Equatable {
    /// The tenant's rules, in their order.
    public let rules: [AccessRule]
    /// By the index of the rule. One more than there are rules: the last one counts requests that no rule is for.
    public var counts: [UInt64]
    /// Since when each is counted.
    public private(set) var since: [UnixTime]

    /// - Parameters:
    ///   - since: When the rules came into force.
    ///   - previous: The counts before a reload. A rule that was there before, for the same path and methods, counts on
    ///     whatever its position and whom it lets in.
    public init(_ access: AccessRules, since: UnixTime, after previous: RuleCounts? = nil) {
        rules = access.rules
        counts = Array(repeating: 0, count: rules.count + 1)
        self.since = Array(repeating: since, count: rules.count + 1)
        guard let previous else { return }
        for (index, place) in Self.places(of: rules, in: previous.rules).enumerated() {
            guard let place else { continue }
            counts[index] = previous.counts[place]
            self.since[index] = previous.since[place]
        }
    }

    /// Counts a request.
    ///
    /// - Parameter rule: The index of the rule; nil for the default.
    @inlinable
    public mutating func count(_ rule: Int?) { counts[rule ?? counts.count - 1] += 1 }

    /// Adds the counts of another loop, which may have adopted other rules already, or not yet.
    public mutating func add(_ other: RuleCounts) {
        for (index, place) in Self.places(of: rules, in: other.rules).enumerated() {
            guard let place else { continue }
            counts[index] += other.counts[place]
            since[index] = min(since[index], other.since[place])
        }
    }

    /// The index of each rule among others, nil for one that is not there; last that of the default.
    private static func places(of rules: [AccessRule], in others: [AccessRule]) -> [Int?] {
        // Almost always all of them are where they were.
        if rules.count == others.count, zip(rules, others).allSatisfy({ Match($0) == Match($1) }) {
            return Array(0...rules.count)
        }
        var places: [Match: Int] = [:]
        for (index, rule) in others.enumerated() where places[Match(rule)] == nil { places[Match(rule)] = index }
        return rules.map { places[Match($0)] } + [others.count]
    }

    /// Which requests a rule is for.
    private struct Match: Hashable {
        let path: String
        let methods: [String]

        init(_ rule: AccessRule) {
            path = rule.path.description
            methods = rule.methods.names
        }
    }
}
