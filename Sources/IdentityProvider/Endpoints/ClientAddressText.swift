/// A client's address for display.
package enum ClientAddressText {
    /// - Parameter address: In network byte order.
    /// - Returns: `192.0.2.1`, or the form of RFC 5952; nil if it has neither 4 nor 16 bytes.
    package static func text(of address: [UInt8]) -> String? {
        switch address.count {
        case 4: address.map(String.init).joined(separator: ".")
        case 16: version6(stride(from: 0, to: 16, by: 2).map { UInt16(address[$0]) << 8 | UInt16(address[$0 + 1]) })
        default: nil
        }
    }

    private static func version6(_ groups: [UInt16]) -> String {
        func text(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard let zeros = longestZeros(groups) else { return text(groups.indices) }
        return "\(text(0..<zeros.lowerBound))::\(text(zeros.upperBound..<groups.count))"
    }

    /// The first of the longest runs of zeros, if there is one of two or more (section 4.2).
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int>? {
        var longest = 0..<0
        var start = 0
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - start > longest.count { longest = start..<index }
            start = index + 1
        }
        return longest.count > 1 ? longest : nil
    }
}
