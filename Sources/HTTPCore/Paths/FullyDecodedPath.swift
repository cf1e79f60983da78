/// A path decoded until no escape is left, however deep its escapes are nested: what the last of any number of servers in
/// a row may read.
///
/// One pass: an escape that the decoded byte completes is decoded at once. The order does not matter, because two escapes
/// never share a byte, so that what is left is what decoding again and again arrives at.
public struct FullyDecodedPath: Sendable {
    public private(set) var bytes: [UInt8] = []
    /// Bytes that were appended or taken back; never more than four for a byte of the path.
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
        // The first byte of the name stands in it once only, so that hardly a byte is looked at twice.
        return (0...(bytes.count - name.count)).contains { start in
            name.indices.allSatisfy { bytes[start + $0].asciiLowercased == name[$0] }
        }
    }

    /// Its segments, without their parameters, where a backslash is a slash; nil where other servers may read other
    /// letters in it: what is left of a malformed escape, a control byte that some drop, bytes that are not UTF-8.
    public var segments: Set<[UInt8]>? {
        let isOdd = bytes.contains { $0 == UInt8(ascii: "%") || $0 < 0x20 || $0 == 0x7f }
        guard !isOdd, String(validating: bytes, as: UTF8.self) != nil else { return nil }
        let parts = bytes.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        return Set(parts.map { part in Array(part.prefix { $0 != UInt8(ascii: ";") }) })
    }

    private static let ours = Array(".gatehouse".utf8)
}
