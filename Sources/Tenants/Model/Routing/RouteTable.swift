/// A tenant's routes, of which the first that matches decides.
///
/// Routes are looked up by the literal segments that their paths begin with, so that a request costs only the comparisons
/// with routes that begin like its path.
public struct RouteTable: Sendable {
    /// Literal segments that paths of routes begin with.
    private struct Node: Sendable {
        /// The node of the segments before the last.
        let parent: Int
        /// The last of them; none for the first node.
        let segment: [UInt8]
        /// In ``order``: the routes whose literal segments end here, with a wildcard or with their path.
        var routes = 0..<0
    }

    public let routes: [Route]
    /// The first one has no segments. Empty without routes.
    private var nodes: [Node] = []
    /// Indices of routes by their nodes, ascending for each of them.
    private var order: [Int] = []
    /// Indices of nodes by the hash of their segment and parent, at the first free place from there on; 0 is a free
    /// one. At least half of them are free, so that each search ends.
    private var places: [Int] = []

    public init(_ routes: [Route]) {
        self.routes = routes
        guard !routes.isEmpty else { return }
        let literals = routes.map { $0.path.literals.prefix { $0 != nil }.compactMap(\.self) }
        // A power of two, for the mask.
        let most = literals.reduce(1) { $0 + $1.count }
        places = Array(repeating: 0, count: 1 << (Int.bitWidth - most.leadingZeroBitCount + 1))
        nodes = [Node(parent: 0, segment: [])]
        let ends = literals.map { segments in
            segments.reduce(0) { child(of: $0, $1.span) ?? addChild(to: $0, $1) }
        }
        order = routes.indices.sorted { (ends[$0], $0) < (ends[$1], $1) }
        for (place, index) in order.enumerated() {
            let node = ends[index]
            nodes[node].routes = (nodes[node].routes.isEmpty ? place : nodes[node].routes.lowerBound)..<place + 1
        }
    }

    public var isEmpty: Bool { routes.isEmpty }

    /// - Parameters:
    ///   - method: As received.
    ///   - path: Decoded once and free of dot segments.
    ///   - meets: Whether the request meets a condition.
    /// - Returns: The index of the first route that matches; nil if none does.
    public func firstMatch(
        method: Span<UInt8>,
        path: Span<UInt8>,
        meets: (HeaderCondition) -> Bool
    ) -> Int? {
        // The asterisk form of OPTIONS has no path.
        guard !nodes.isEmpty, path.count > 0, path[0] == UInt8(ascii: "/") else { return nil }
        var first = routes.count
        var (node, position) = (0, 0)
        while true {
            for place in nodes[node].routes {
                let index = order[place]
                guard index < first else { break }
                if routes[index].methods.contains(method), routes[index].path.matches(path),
                    routes[index].conditions.allSatisfy(meets)
                {
                    first = index
                }
            }
            guard position < path.count else { break }
            let start = position + 1
            position = start
            while position < path.count, path[position] != UInt8(ascii: "/") { position += 1 }
            guard let next = child(of: node, path.extracting(start..<position)) else { break }
            node = next
        }
        return first < routes.count ? first : nil
    }

    // MARK: Nodes

    private func child(of node: Int, _ segment: Span<UInt8>) -> Int? {
        var place = firstPlace(node, segment)
        while places[place] != 0 {
            let child = places[place]
            if nodes[child].parent == node, segment.isEqual(to: nodes[child].segment) { return child }
            place = (place + 1) & (places.count - 1)
        }
        return nil
    }

    private mutating func addChild(to node: Int, _ segment: [UInt8]) -> Int {
        var place = firstPlace(node, segment.span)
        while places[place] != 0 { place = (place + 1) & (places.count - 1) }
        places[place] = nodes.count
        nodes.append(Node(parent: node, segment: segment))
        return nodes.count - 1
    }

    /// By FNV-1a (Fowler, Noll and Vo).
    private func firstPlace(_ node: Int, _ segment: Span<UInt8>) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(truncatingIfNeeded: node)
        for index in 0..<segment.count { hash = (hash ^ UInt64(segment[index])) &* 0x100_0000_01b3 }
        // The upper bits depend on more of the input.
        return Int(truncatingIfNeeded: hash ^ hash >> 32) & (places.count - 1)
    }
}

extension RouteTable: Equatable {
    public static func == (left: RouteTable, right: RouteTable) -> Bool { left.routes == right.routes }
}
