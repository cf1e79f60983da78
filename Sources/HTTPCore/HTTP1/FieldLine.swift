import Glibc

/// Reads one field line: a name of token bytes, a colon with no white space before it, a value without control bytes
/// (RFC 9112 section 5, RFC 9110 section 5.5). Heads of both directions and trailer sections use it.
public enum FieldLine {
    /// - Parameters:
    ///   - start: The line's first byte.
    ///   - end: Where its CRLF begins.
    public static func parse(_ bytes: Span<UInt8>, start: Int, end: Int) throws(HTTPViolation) -> HeadField {
        // FNV-1a over the name; all bytes that are neither letter nor digit count as one.
        var hash: UInt32 = 2_166_136_261
        var changes: UInt8 = 0
        let folding = TokenFolding()
        var position = start
        while position < end {
            let byte = bytes[position]
            let folded = folding[byte]
            if folded == 0 {
                if byte == UInt8(ascii: ":") { break }
                throw refusedNameByte(byte, atStart: position == start)
            }
            changes |= byte ^ folded
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
            // A capital letter differs from a small one in one bit; the bytes that are read as `-` differ from it in
            // other bits.
            isAlias: changes & ~0x20 != 0
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

    /// The value without surrounding optional white space.
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
    /// Whether a byte other than HTAB, visible ASCII, space or obs-text occurs in `range` (RFC 9110 section 5.5).
    ///
    /// 32 bytes a step: a bearer token is most of a head, and byte by byte it would cost more than the rest of the
    /// parser.
    func hasControlByte(in range: Range<Int>) -> Bool {
        let raw = self.bytes.extracting(range)
        let count = raw.byteCount
        func marks(_ position: Int) -> UInt64 {
            raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self).controlMarks
        }
        guard count >= 8 else { return hasControlByte(raw) }
        var wide = SIMD4<UInt64>()
        var position = 0
        while position + 32 <= count {
            wide |= raw.unsafeLoadUnaligned(fromByteOffset: position, as: SIMD4<UInt64>.self).controlMarks
            position += 32
        }
        // The last eight bytes, some of them perhaps a second time.
        var found = (wide.x | wide.y) | (wide.z | wide.w) | marks(count - 8)
        while position + 8 <= count {
            found |= marks(position)
            position += 8
        }
        // A mark may be a HTAB, which is allowed.
        return found & 0x8080_8080_8080_8080 != 0 && hasControlByte(raw)
    }

    private func hasControlByte(_ raw: RawSpan) -> Bool {
        for position in 0..<raw.byteCount
        where raw.unsafeLoad(fromByteOffset: position, as: UInt8.self).isControlInValue {
            return true
        }
        return false
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

extension SIMD4<UInt64> {
    /// ``Swift/UInt64/controlMarks`` of each.
    @inline(__always)
    fileprivate var controlMarks: Self {
        let ones = Self(repeating: 0x0101_0101_0101_0101)
        let isDelete = (self ^ Self(repeating: 0x7f7f_7f7f_7f7f_7f7f)) &- ones
        let isBelowSpace = self &- Self(repeating: 0x2020_2020_2020_2020)
        return (isDelete | isBelowSpace) & ~self
    }
}

extension UInt64 {
    /// The highest bit of a byte is set only if some byte is less than space or DEL, and is certainly set for the
    /// lowest of these: the well-known "has a byte less than n" and "has a zero byte" tricks. The other bits are
    /// undefined.
    @inline(__always)
    fileprivate var controlMarks: UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let isDelete = (self ^ (ones &* 0x7f)) &- ones
        let isBelowSpace = self &- (ones &* 0x20)
        return (isDelete | isBelowSpace) & ~self
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
