/// Tells when copies of revocations become too old for a tenant or good again, so that a loop goes through its tenants only
/// then, and not at each tick. A value without I/O.
struct StalenessLimits {
    /// The different ones of the tenants, ascending, in nanoseconds. One that no tenant has any more may stay.
    private var limits: [UInt64] = []
    /// How many of them the last age exceeded; nil before the first look.
    private var exceeded: Int?

    mutating func add(_ limit: UInt64) {
        let place = place(of: limit)
        guard place == limits.count || limits[place] != limit else { return }
        limits.insert(limit, at: place)
        exceeded = nil
    }

    /// - Parameter age: Nanoseconds since the store was last known to have nothing newer; nil: never.
    /// - Returns: Whether it exceeds another number of limits than at the last look.
    mutating func isOther(age: UInt64?) -> Bool {
        let count = age.map { place(of: $0) } ?? limits.count
        defer { exceeded = count }
        return exceeded != count
    }

    /// How many limits are less than a value.
    private func place(of value: UInt64) -> Int {
        var range = 0..<limits.count
        while let last = range.last {
            let middle = range.lowerBound + (last - range.lowerBound) / 2
            range = limits[middle] < value ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
