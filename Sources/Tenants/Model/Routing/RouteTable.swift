/// A tenant's routes, of which the first that matches decides.
///
/// Routes are looked up by the first segment of the path, so that a request costs only the comparisons with routes that
/// begin like its path.
public struct RouteTable: Sendable {
    private struct Bucket: Sendable {
        var segment: [UInt8]
        /// Indices of routes, ascending: those that begin with the segment, and those that begin with a wildcard.
        var routes: [Int]
    }

    public let routes: [Route]
    /// By the hash of the first segment.
    private var buckets: [UInt64: [Bucket]] = [:]
    /// The routes that begin with a wildcard.
    private let wild: [Int]

    public init(_ routes: [Route]) {
        self.routes = routes
        let firsts = routes.map(\.path.firstLiteral)
        wild = routes.indices.filter { firsts[$0] == nil }
        for case let segment? in Set(firsts) {
            let matching = routes.indices.filter { firsts[$0] == nil || firsts[$0] == segment }
            buckets[Self.hash(segment.span), default: []].append(Bucket(segment: segment, routes: matching))
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
        guard path.count > 0, path[0] == UInt8(ascii: "/") else { return nil }
        for index in candidates(path) {
            let route = routes[index]
            if route.methods.contains(method), route.path.matches(path), route.conditions.allSatisfy(meets) {
                return index
            }
        }
        return nil
    }

    private func candidates(_ path: Span<UInt8>) -> [Int] {
        var end = 1
        while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
        let segment = path.extracting(1..<end)
        for bucket in buckets[Self.hash(segment)] ?? [] where segment.isEqual(to: bucket.segment) {
            return bucket.routes
        }
        return wild
    }

    /// FNV-1a (Fowler, Noll and Vo).
    private static func hash(_ bytes: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in 0..<bytes.count { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3 }
        return hash
    }
}

extension RouteTable: Equatable {
    public static func == (left: RouteTable, right: RouteTable) -> Bool { left.routes == right.routes }
}
