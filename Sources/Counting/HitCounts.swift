public import Tenants
public import Time

/// What requests are counted for: one of a list of a tenant, of which the first that matches decides.
public protocol CountedByMatch: Sendable, Equatable {
    /// Which requests it is for. What is for the same ones counts on over a reload.
    var match: [String] { get }
}

/// How many requests each access rule of a tenant was for, whether they passed or not.
public typealias RuleCounts = HitCounts<AccessRule>

/// How many requests each route of a tenant was for, whether they passed or not.
public typealias RouteCounts = HitCounts<Route>

/// How many requests each of a list was for. Of one event loop, or the sum of all.
public struct HitCounts<Item: CountedByMatch>: Sendable, Equatable {
    /// In their order.
    public let items: [Item]
    /// By the index of the item. One more than there are items: the last one counts requests that none is for.
    public var counts: [UInt64]
    /// Since when each is counted.
    public private(set) var since: [UnixTime]

    /// - Parameters:
    ///   - since: When the list came into force.
    ///   - previous: The counts before a reload. What was there before, for the same requests, counts on whatever its
    ///     position and what else it says.
    public init(_ items: [Item], since: UnixTime, after previous: HitCounts? = nil) {
        self.items = items
        counts = Array(repeating: 0, count: items.count + 1)
        self.since = Array(repeating: since, count: items.count + 1)
        guard let previous else { return }
        for (index, place) in Self.places(of: items, in: previous.items).enumerated() {
            guard let place else { continue }
            counts[index] = previous.counts[place]
            self.since[index] = previous.since[place]
        }
    }

    /// Counts a request.
    ///
    /// - Parameter item: The index; nil if none is for it.
    @inlinable
    public mutating func count(_ item: Int?) { counts[item ?? counts.count - 1] += 1 }

    /// Adds the counts of another loop, which may have adopted another list already, or not yet.
    public mutating func add(_ other: HitCounts) {
        for (index, place) in Self.places(of: items, in: other.items).enumerated() {
            guard let place else { continue }
            counts[index] += other.counts[place]
            since[index] = min(since[index], other.since[place])
        }
    }

    /// The index of each item among others, nil for one that is not there; last that of the rest.
    private static func places(of items: [Item], in others: [Item]) -> [Int?] {
        // Almost always all of them are as they were, or at least where they were.
        if items == others { return Array(0...items.count) }
        let (wanted, known) = (items.map(\.match), others.map(\.match))
        if wanted == known { return Array(0...items.count) }
        var places: [[String]: Int] = [:]
        for (index, match) in known.enumerated() where places[match] == nil { places[match] = index }
        return wanted.map { places[$0] } + [others.count]
    }
}

extension AccessRule: CountedByMatch {
    public var match: [String] { [path.description] + methods.names }
}

extension Route: CountedByMatch {
    public var match: [String] {
        [path.description] + methods.names
            + conditions.flatMap { [":" + String(decoding: $0.name, as: UTF8.self), $0.value ?? "*"] }
    }
}

extension HitCounts<AccessRule> {
    public init(_ access: AccessRules, since: UnixTime, after previous: RuleCounts? = nil) {
        self.init(access.rules, since: since, after: previous)
    }
}
