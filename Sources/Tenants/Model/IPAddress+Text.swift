extension IPAddress {
    /// Reads an address as people write it: four decimal octets without leading zeros, or an IPv6 address of RFC 4291
    /// section 2.2 (with `::` and with an IPv4 tail). Zones and brackets are refused.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        if let octets = Self.dottedQuad(bytes[...]) {
            self.init(bytes: octets)
        } else if let octets = Self.colonGroups(bytes[...]) {
            self.init(bytes: octets)
        } else {
            return nil
        }
    }

    private static func dottedQuad(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var octets: [UInt8] = []
        for part in parts {
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            var value = 0
            for digit in part {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
                value = value * 10 + Int(digit - UInt8(ascii: "0"))
            }
            guard let octet = UInt8(exactly: value) else { return nil }
            octets.append(octet)
        }
        return octets
    }

    private static func colonGroups(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let colon = UInt8(ascii: ":")
        var gap: Int?
        for index in text.indices.dropLast() where text[index] == colon && text[index + 1] == colon {
            guard gap == nil else { return nil }
            gap = index
        }
        guard let gap else {
            guard let octets = groups(text, mayEndInDottedQuad: true), octets.count == 16 else { return nil }
            return octets
        }
        let left = text[..<gap]
        let right = text[(gap + 2)...]
        guard let head = left.isEmpty ? [] : groups(left, mayEndInDottedQuad: false),
            let tail = right.isEmpty ? [] : groups(right, mayEndInDottedQuad: true),
            head.count + tail.count <= 14
        else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    private static func groups(_ text: ArraySlice<UInt8>, mayEndInDottedQuad: Bool) -> [UInt8]? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var octets: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, mayEndInDottedQuad, let quad = dottedQuad(part) {
                octets += quad
                continue
            }
            guard (1...4).contains(part.count) else { return nil }
            var value: UInt16 = 0
            for digit in part {
                guard let nibble = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
                value = value << 4 | UInt16(nibble)
            }
            octets += [UInt8(value >> 8), UInt8(value & 0xff)]
        }
        return octets.count <= 16 ? octets : nil
    }
}

extension AddressRange {
    /// Reads `10.0.0.0/8`, `2001:db8::/32`, or a single address. Bits set after the prefix are refused: they say that
    /// something else was meant.
    public init?(cidr text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let base = IPAddress(String(first)) else { return nil }
        let bits = base.bytes.count * 8
        guard parts.count == 2 else {
            self.init(base: base, prefixLength: bits)
            return
        }
        guard parts[1].utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), var length = Int(parts[1])
        else { return nil }
        if bits == 32, first.contains(":") {
            // An IPv4-mapped block counts its 96 leading bits too.
            length -= 96
        }
        guard (0...bits).contains(length) else { return nil }
        for bit in length..<bits where base.bytes[bit / 8] & (0x80 >> UInt8(bit % 8)) != 0 {
            return nil
        }
        self.init(base: base, prefixLength: length)
    }

    /// Whether it holds every address of its family.
    public var isEverything: Bool { prefixLength == 0 }
}
