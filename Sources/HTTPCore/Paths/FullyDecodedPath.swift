/// A path decoded until no escape is left, however deep its escapes are nested: the reading of the last of any number
/// of servers in a row.
///
/// One pass: an escape that the decoded byte completes is decoded at once. The order does not matter, because two
/// escapes never share a byte, so the result is the same as from decoding repeatedly.
public struct FullyDecodedPath: Sendable {
    public private(set) var bytes: [UInt8] = []
    /// Bytes appended or removed; at most four for each byte of the path.
    private(set) var steps = 0

    public init(_ path: Span<UInt8>) {
        bytes.reserveCapacity(path.count)
        for index in 0..<path.count { append(path[index]) }
    }

    private mutating func append(_ byte: UInt8) {
        bytes.append(byte)
        steps += 1
        while bytes.count >= 3, bytes[bytes.count - 3] == UInt8(ascii: "%"),
            let high = bytes[bytes.count - 2].hexValue, let low = bytes[bytes.count - 1].hexValue
        {
            bytes.removeLast(3)
            bytes.append(high << 4 | low)
            steps += 4
        }
    }

    /// Whether it could be read as a path below `/.gatehouse`.
    public var mayNameOurs: Bool {
        let name = Self.ours
        guard bytes.count >= name.count else { return false }
        // The first byte of the name occurs in it only once, so hardly a byte is compared twice.
        return (0...(bytes.count - name.count)).contains { start in
            name.indices.allSatisfy { bytes[start + $0].asciiLowercased == name[$0] }
        }
    }

    /// Its segments without parameters, with a backslash as a slash; nil if other servers may read it differently: a
    /// malformed escape remains, or a control byte that some drop, or bytes that are not UTF-8.
    public var segments: Set<[UInt8]>? {
        let isOdd = bytes.contains { $0 == UInt8(ascii: "%") || $0 < 0x20 || $0 == 0x7f }
        guard !isOdd, String(validating: bytes, as: UTF8.self) != nil else { return nil }
        let parts = bytes.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        return Set(parts.map { part in Array(part.prefix { $0 != UInt8(ascii: ";") }) })
    }

    private static let ours = Array(".gatehouse".utf8)
}
