import TestSupport

extension SplitMix64 {
    /// Bytes in which no two places look alike: a block of prime length, over and over.
    mutating func variedBytes(_ count: Int) -> [UInt8] {
        let block = (0..<65_521).map { _ in UInt8(truncatingIfNeeded: next()) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + block.count)
        while bytes.count < count { bytes += block }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
