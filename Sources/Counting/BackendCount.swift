/// What one loop's requests to one server came to.
public struct BackendCount: Sendable {
    public var tenant: String
    public var server: String
    public var counts: BackendCounters
    /// Whether requests are sent to it.
    public var isHealthy: Bool

    /// - Parameters:
    ///   - tenant: Its name.
    ///   - server: Its URL.
    public init(tenant: String, server: String, counts: BackendCounters, isHealthy: Bool) {
        self.tenant = tenant
        self.server = server
        self.counts = counts
        self.isHealthy = isHealthy
    }

    /// What two loops see of the same servers; one may know a server that the other does not know yet.
    public static func sum(_ left: [BackendCount], _ right: [BackendCount]) -> [BackendCount] {
        var sums = left
        var places: [[String]: Int] = [:]
        for (place, count) in left.enumerated() { places[[count.tenant, count.server]] = place }
        for count in right {
            if let place = places[[count.tenant, count.server]] {
                sums[place] = sums[place] + count
            } else {
                sums.append(count)
            }
        }
        return sums
    }

    /// The same server as two loops see it.
    public static func + (left: BackendCount, right: BackendCount) -> BackendCount {
        var sum = left
        sum.counts = left.counts + right.counts
        sum.isHealthy = left.isHealthy && right.isHealthy
        return sum
    }
}
