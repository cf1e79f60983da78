package import Tenants

extension IPAddress {
    /// The address as text: four decimal octets, or an IPv6 address in the canonical form of RFC 5952.
    package var text: [UInt8] {
        guard bytes.count == 16 else { return Array(bytes.map { String($0) }.joined(separator: ".").utf8) }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        let zeros = Self.longestZeros(groups)
        // A single zero group is not shortened (section 4.2.2).
        guard zeros.count > 1 else { return Array(Self.joined(groups[...]).utf8) }
        return Array("\(Self.joined(groups[..<zeros.lowerBound]))::\(Self.joined(groups[zeros.upperBound...]))".utf8)
    }

    private static func joined(_ groups: ArraySlice<UInt16>) -> String {
        groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// The longest run of zeros, the first of equal ones (section 4.2.3).
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for index in groups.indices {
            guard groups[index] == 0 else {
                start = index + 1
                continue
            }
            if index + 1 - start > longest.count { longest = start..<(index + 1) }
        }
        return longest
    }
}
