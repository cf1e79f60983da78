/// The fields of RFC 7541 appendix A, which have fixed indices.
public enum StaticTable {
    static let count = 61

    public struct Field: Sendable {
        /// `name: value`, like the lines of ``HeaderList``.
        public let bytes: [UInt8]
        let nameLength: Int
        let valueLength: Int
    }

    /// By index; index 0 is unused.
    public static let fields: [Field] = ([("", "")] + texts).map { name, value in
        Field(
            bytes: Array("\(name): \(value)".utf8),
            nameLength: name.utf8.count,
            valueLength: value.utf8.count
        )
    }

    /// The indices of the names by their hash: open addressing, 0 for none.
    private static let slots: [UInt8] = {
        var slots = [UInt8](repeating: 0, count: 256)
        for index in 1...count where index == 1 || texts[index - 1].0 != texts[index - 2].0 {
            var slot = Int(Array(texts[index - 1].0.utf8).span.hpackHash & 255)
            while slots[slot] != 0 { slot = (slot + 1) & 255 }
            slots[slot] = UInt8(index)
        }
        return slots
    }()

    /// The first index with this name, or 0.
    static func index(ofName name: Span<UInt8>, hash: UInt32) -> Int {
        var slot = Int(hash & 255)
        while true {
            let index = Int(slots[slot])
            if index == 0 { return 0 }
            let field = fields[index]
            if field.nameLength == name.count, name.isPrefix(of: field.bytes.span, at: 0) { return index }
            slot = (slot + 1) & 255
        }
    }

    /// The index with this value among those of one name, the first of which is `first`; or 0.
    static func index(ofValue value: Span<UInt8>, from first: Int) -> Int {
        var index = first
        while index <= lastWithValue(first) {
            let field = fields[index]
            if field.valueLength == value.count, value.isPrefix(of: field.bytes.span, at: field.nameLength + 2) {
                return index
            }
            index += 1
        }
        return 0
    }

    /// The last of the indices of one name that have values; below `first` if there is none.
    private static func lastWithValue(_ first: Int) -> Int {
        switch first {
        case 2: 3
        case 4: 5
        case 6: 7
        case 8: 14
        case 16: 16
        default: 0
        }
    }

    private static let texts: [(String, String)] = [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
        (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
        (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""),
        ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""),
        ("cache-control", ""), ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""),
        ("content-length", ""), ("content-location", ""), ("content-range", ""), ("content-type", ""),
        ("cookie", ""), ("date", ""), ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""),
        ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
        ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""),
        ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""),
        ("retry-after", ""), ("server", ""), ("set-cookie", ""), ("strict-transport-security", ""),
        ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
    ]
}

extension Span where Element == UInt8 {
    /// A fast hash, eight bytes per step. Matches are always compared, and collisions form no chains: a client that
    /// causes them only makes its own blocks larger.
    var hpackHash: UInt32 {
        var hash = UInt64(truncatingIfNeeded: count) &* 0x9e37_79b9_7f4a_7c15
        let raw = bytes
        var position = 0
        while position + 8 <= count {
            let word = raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            hash = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
            hash ^= hash >> 29
            position += 8
        }
        var rest: UInt64 = 0
        while position < count {
            rest = rest << 8 | UInt64(self[position])
            position += 1
        }
        hash = (hash ^ rest) &* 0x9e37_79b9_7f4a_7c15
        return UInt32(truncatingIfNeeded: hash >> 32)
    }

    /// Whether `other` has these bytes at `offset`.
    func isPrefix(of other: Span<UInt8>, at offset: Int) -> Bool {
        guard offset + count <= other.count else { return false }
        var position = 0
        let left = bytes
        let right = other.bytes
        while position + 8 <= count {
            guard
                left.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
                    == right.unsafeLoadUnaligned(fromByteOffset: offset + position, as: UInt64.self)
            else { return false }
            position += 8
        }
        while position < count {
            guard self[position] == other[offset + position] else { return false }
            position += 1
        }
        return true
    }
}
