/// A request's host, read from Host or an absolute-form target.
public enum RequestHost {
    /// The longest host name that DNS allows, plus a port.
    private static let longest = 255 + 6

    /// Writes the host in lower case, without port and trailing dot, to `name`.
    ///
    /// - Throws: ``HTTPViolation`` unless the bytes are `uri-host [":" port]` (RFC 9110 section 7.2) without ambiguity:
    ///   no user information, no percent-escapes, no list.
    public static func read(_ bytes: Span<UInt8>, _ range: Range<Int>, into name: inout [UInt8]) throws(HTTPViolation) {
        name.removeAll(keepingCapacity: true)
        guard !range.isEmpty else { throw .badRequest("the host is empty") }
        guard range.count <= longest else { throw .badRequest("the host is too long") }
        var position = range.lowerBound
        if bytes[position] == UInt8(ascii: "[") {
            position = try readLiteral(bytes, range, into: &name)
        } else {
            while position < range.upperBound, bytes[position].isHostNameByte { position += 1 }
            guard position == range.upperBound || bytes[position] == UInt8(ascii: ":") else {
                throw .badRequest("the host has a byte that no host name has")
            }
            let isRooted = position > range.lowerBound && bytes[position - 1] == UInt8(ascii: ".")
            let host = range.lowerBound..<(isRooted ? position - 1 : position)
            name.append(addingCapacity: host.count) { output in
                for index in host { output.append(bytes[index].asciiLowercased) }
            }
        }
        guard !name.isEmpty else { throw .badRequest("the host is empty") }
        try checkPort(bytes, position..<range.upperBound)
    }

    /// An IPv6 address in brackets; they are kept.
    private static func readLiteral(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        into name: inout [UInt8]
    ) throws(HTTPViolation) -> Int {
        var position = range.lowerBound
        while position < range.upperBound {
            let byte = bytes[position].asciiLowercased
            name.append(byte)
            position += 1
            if byte == UInt8(ascii: "]"), name.count > 2 { return position }
            let isFirst = name.count == 1
            guard isFirst || byte.hexValue != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") else {
                break
            }
        }
        throw .badRequest("the host is not an IPv6 address in brackets")
    }

    private static func checkPort(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(HTTPViolation) {
        guard !range.isEmpty else { return }
        guard bytes[range.lowerBound] == UInt8(ascii: ":"), range.count <= 6 else {
            throw .badRequest("the host's port is malformed")
        }
        let digits = (range.lowerBound + 1)..<range.upperBound
        // An empty port is the default one (RFC 3986 section 3.2.3).
        guard !digits.isEmpty else { return }
        guard let port = bytes.decimal(digits), port <= 65535 else {
            throw .badRequest("the host's port is malformed")
        }
    }
}

extension UInt8 {
    /// Letters, digits, `-`, `.`, and `_`, which names in private networks have.
    fileprivate var isHostNameByte: Bool {
        // Two 64-bit sets, of the bytes below 64 and of those below 128.
        if self < 64 { return (0x03ff_6000_0000_0000 >> UInt64(self)) & 1 == 1 }
        return self < 128 && (0x07ff_fffe_87ff_fffe >> UInt64(self & 63)) & 1 == 1
    }
}
