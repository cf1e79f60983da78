/// An IPv4 or IPv6 address as bytes; an IPv4-mapped IPv6 address is the IPv4 one (RFC 4291 section 2.5.5.2).
public struct IPAddress: Sendable, Hashable {
    /// 4 or 16 bytes, in network order.
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
        if bytes.count == 16, Array(bytes[..<12]) == mapped {
            self.bytes = Array(bytes[12...])
        } else {
            self.bytes = bytes
        }
    }
}

/// A block of addresses in CIDR notation (RFC 4632).
public struct AddressRange: Sendable, Hashable {
    public let base: IPAddress
    /// Leading bits that count.
    public let prefixLength: Int

    public init(base: IPAddress, prefixLength: Int) {
        self.base = base
        self.prefixLength = prefixLength
    }

    /// 127.0.0.0/8 and ::1/128.
    public static let loopback = [
        AddressRange(base: IPAddress(bytes: [127, 0, 0, 0]), prefixLength: 8),
        AddressRange(base: IPAddress(bytes: [UInt8](repeating: 0, count: 15) + [1]), prefixLength: 128),
    ]

    public func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == base.bytes.count else { return false }
        let wholeBytes = prefixLength / 8
        guard address.bytes[..<wholeBytes] == base.bytes[..<wholeBytes] else { return false }
        let restBits = prefixLength % 8
        guard restBits > 0 else { return true }
        let mask = UInt8.max << UInt8(8 - restBits)
        return address.bytes[wholeBytes] & mask == base.bytes[wholeBytes] & mask
    }
}
