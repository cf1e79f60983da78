import TestSupport

extension SplitMix64 {
    /// Bytes without a period that a buffer size shares: a repeated block of prime length.
    mutating func variedBytes(_ count: Int) -> [UInt8] {
        let block = (0..<65_521).map { _ in UInt8(truncatingIfNeeded: next()) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + block.count)
        while bytes.count < count { bytes += block }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
