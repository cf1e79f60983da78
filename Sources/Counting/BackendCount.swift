/// One loop's count of requests to one server.
public struct BackendCount: Sendable {
    public var tenant: String
    public var backend: String
    public var server: String
    public var counts: BackendCounters
    /// Whether requests are sent to it.
    public var isHealthy: Bool

    /// - Parameters:
    ///   - tenant: Its name.
    ///   - backend: The same.
    ///   - server: Its URL.
    public init(tenant: String, backend: String, server: String, counts: BackendCounters, isHealthy: Bool) {
        self.tenant = tenant
        self.backend = backend
        self.server = server
        self.counts = counts
        self.isHealthy = isHealthy
    }

    /// Adds the counts of two loops, one of which may have servers that the other does not have yet.
    public static func sum(_ left: [BackendCount], _ right: [BackendCount]) -> [BackendCount] {
        var sums = left
        var indices: [[String]: Int] = [:]
        for (index, count) in left.enumerated() { indices[[count.tenant, count.backend, count.server]] = index }
        for count in right {
            if let index = indices[[count.tenant, count.backend, count.server]] {
                sums[index] = sums[index] + count
            } else {
                sums.append(count)
            }
        }
        return sums
    }

    /// Adds two loops' counts of the same server.
    public static func + (left: BackendCount, right: BackendCount) -> BackendCount {
        var sum = left
        sum.counts = left.counts + right.counts
        sum.isHealthy = left.isHealthy && right.isHealthy
        return sum
    }
}
