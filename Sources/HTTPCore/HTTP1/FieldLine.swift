import Glibc

/// Reads one field line: a name of token bytes, a colon with no white space before it, a value without control bytes
/// (RFC 9112 section 5, RFC 9110 section 5.5). Heads of both directions and trailer sections use it.
public enum FieldLine {
    /// - Parameters:
    ///   - start: The line's first byte.
    ///   - end: Where its CRLF begins.
    public static func parse(_ bytes: Span<UInt8>, start: Int, end: Int) throws(HTTPViolation) -> HeadField {
        // FNV-1a over the name, made alike for all that is neither letter nor digit.
        var hash: UInt32 = 2_166_136_261
        var isAlias = false
        let folding = TokenFolding()
        var position = start
        while position < end {
            let byte = bytes[position]
            let folded = folding[byte]
            if folded == 0 {
                if byte == UInt8(ascii: ":") { break }
                throw refusedNameByte(byte, atStart: position == start)
            }
            isAlias = isAlias || folded == UInt8(ascii: "-") && byte != folded
            hash = (hash ^ UInt32(folded)) &* 16_777_619
            position += 1
        }
        guard position < end else { throw .badRequest("a header line has no colon") }
        guard position > start else { throw .badRequest("a header line has no name") }
        let name = start..<position
        let value = try trimmedValue(bytes, start: position + 1, end: end)
        return HeadField(
            nameStart: Int32(truncatingIfNeeded: start),
            nameEnd: Int32(truncatingIfNeeded: position),
            valueStart: Int32(truncatingIfNeeded: value.lowerBound),
            valueEnd: Int32(truncatingIfNeeded: value.upperBound),
            lineEnd: Int32(truncatingIfNeeded: end + 2),
            hash: hash,
            known: KnownField.named(bytes, name),
            isAlias: isAlias
        )
    }

    /// The hash that ``parse(_:start:end:)`` gives a field of this name.
    public static func hash(ofName name: String) -> UInt32 {
        name.utf8.reduce(2_166_136_261) { hash, byte in (hash ^ UInt32(byte.asFieldNameByte)) &* 16_777_619 }
    }

    private static func refusedNameByte(_ byte: UInt8, atStart: Bool) -> HTTPViolation {
        let isWhiteSpace = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
        if isWhiteSpace && atStart { return .badRequest("a header line is folded (obs-fold)") }
        if isWhiteSpace { return .badRequest("there is white space between a header's name and its colon") }
        return .badRequest("a header name has a byte that is not allowed in names")
    }

    /// The value without the optional white space round it.
    private static func trimmedValue(
        _ bytes: Span<UInt8>,
        start: Int,
        end: Int
    ) throws(HTTPViolation) -> Range<Int> {
        guard !bytes.hasControlByte(in: start..<end) else {
            throw .badRequest("a header value has a control character")
        }
        var first = start
        var last = end
        while first < last, bytes[first].isOptionalWhiteSpace { first += 1 }
        while first < last, bytes[last - 1].isOptionalWhiteSpace { last -= 1 }
        return first..<last
    }
}

extension UInt8 {
    public var isOptionalWhiteSpace: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}

extension Span where Element == UInt8 {
    /// Whether a byte other than HTAB, visible ASCII, space or obs-text stands in `range` (RFC 9110 section 5.5).
    ///
    /// 16 bytes a step: a bearer token is most of a head, and byte by byte would cost more than the rest of the parser.
    func hasControlByte(in range: Range<Int>) -> Bool {
        let raw = self.bytes.extracting(range)
        let count = raw.byteCount
        guard count >= 8 else {
            for position in 0..<count where raw.unsafeLoad(fromByteOffset: position, as: UInt8.self).isControlInValue {
                return true
            }
            return false
        }
        var found = SIMD16<UInt8>()
        guard count >= 16 else {
            found.lowHalf = raw.unsafeLoadUnaligned(as: SIMD8<UInt8>.self)
            found.highHalf = raw.unsafeLoadUnaligned(fromByteOffset: count - 8, as: SIMD8<UInt8>.self)
            return found.controlsInValue.isAnySet
        }
        var position = 0
        while position + 16 < count {
            found |= raw.unsafeLoadUnaligned(fromByteOffset: position, as: SIMD16<UInt8>.self).controlsInValue
            position += 16
        }
        // The last ones, some of them for the second time.
        found |= raw.unsafeLoadUnaligned(fromByteOffset: count - 16, as: SIMD16<UInt8>.self).controlsInValue
        return found.isAnySet
    }

    /// The offset of the next LF at or after `start`, or nil.
    public func nextLineFeed(from start: Int) -> Int? {
        guard start < count else { return nil }
        return self.withUnsafeBytes { raw in
            guard let base = raw.baseAddress, let found = memchr(base + start, 0x0a, raw.count - start) else {
                return nil
            }
            return UnsafeRawPointer(found) - base
        }
    }
}

extension SIMD16<UInt8> {
    /// Not zero in each place whose byte is not allowed in a value.
    @inline(__always)
    fileprivate var controlsInValue: Self {
        let isControl = (self .< 0x20) .& (self .!= 0x09) .| (self .== 0x7f)
        return Self(repeating: 0).replacing(with: 0xff, where: isControl)
    }

    @inline(__always)
    fileprivate var isAnySet: Bool {
        let words = unsafeBitCast(self, to: SIMD2<UInt64>.self)
        return words.x | words.y != 0
    }
}

extension UInt8 {
    fileprivate var isControlInValue: Bool { (self < 0x20 && self != 0x09) || self == 0x7f }
}

extension Span where Element == UInt8 {
    /// Whether two field names in these bytes are the same, with case ignored and `_` read as `-`.
    @inlinable
    public func isSameFieldName(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        guard left.count == right.count else { return false }
        for offset in 0..<left.count
        where self[left.lowerBound + offset].asFieldNameByte != self[right.lowerBound + offset].asFieldNameByte {
            return false
        }
        return true
    }
}
