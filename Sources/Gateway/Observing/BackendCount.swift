/// What one loop's requests to one server came to.
struct BackendCount: Sendable {
    var tenant: String
    var server: String
    var counts: BackendCounters
    var isHealthy: Bool

    /// What two loops see of the same servers; one may know a server that the other does not know yet.
    static func sum(_ left: [BackendCount], _ right: [BackendCount]) -> [BackendCount] {
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
    static func + (left: BackendCount, right: BackendCount) -> BackendCount {
        var sum = left
        sum.counts = left.counts + right.counts
        sum.isHealthy = left.isHealthy && right.isHealthy
        return sum
    }
}
