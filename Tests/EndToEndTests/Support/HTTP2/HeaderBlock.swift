/// A header block written by hand (RFC 7541 section 6), so that it may also be a wrong one.
struct HeaderBlock: Sendable, Equatable {
    var bytes: [UInt8] = []

    init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    /// Fields as literals that are never indexed, without Huffman coding: the bytes given are the bytes received.
    init(fields: [(String, String)]) {
        for (name, value) in fields { self += .neverIndexed(name, value) }
    }

    static func + (first: HeaderBlock, second: HeaderBlock) -> HeaderBlock {
        HeaderBlock(first.bytes + second.bytes)
    }

    static func += (first: inout HeaderBlock, second: HeaderBlock) {
        first.bytes += second.bytes
    }

    /// In pieces of at most `length` bytes, for CONTINUATION frames.
    func pieces(_ length: Int) -> [HeaderBlock] {
        stride(from: 0, to: bytes.count, by: length).map {
            HeaderBlock(Array(bytes[$0..<min($0 + length, bytes.count)]))
        }
    }

    // MARK: Representations

    static func indexed(_ index: Int) -> HeaderBlock {
        HeaderBlock(integer(index, prefix: 7, pattern: 0x80))
    }

    /// Adds the field to the dynamic table.
    static func incremental(_ name: String, _ value: String) -> HeaderBlock {
        HeaderBlock([0x40] + string(name) + string(value))
    }

    /// - Parameter nameIndex: Of the static or dynamic table.
    static func withoutIndexing(nameIndex: Int, _ value: String) -> HeaderBlock {
        HeaderBlock(integer(nameIndex, prefix: 4, pattern: 0x00) + string(value))
    }

    static func neverIndexed(_ name: String, _ value: String) -> HeaderBlock {
        HeaderBlock([0x10] + string(name) + string(value))
    }

    // MARK: Primitives

    /// RFC 7541 section 5.1.
    private static func integer(_ value: Int, prefix: Int, pattern: UInt8) -> [UInt8] {
        let limit = (1 << prefix) - 1
        guard value >= limit else { return [pattern | UInt8(value)] }
        var bytes = [pattern | UInt8(limit)]
        var rest = value - limit
        while rest >= 128 {
            bytes.append(UInt8(rest % 128) | 0x80)
            rest /= 128
        }
        return bytes + [UInt8(rest)]
    }

    private static func string(_ text: String) -> [UInt8] {
        integer(text.utf8.count, prefix: 7, pattern: 0) + Array(text.utf8)
    }
}

/// Indices of the static table (RFC 7541 appendix A).
enum StaticIndex {
    static let authority = 1
    static let methodGET = 2
    static let path = 4
    static let schemeHTTP = 6
    static let last = 61
}
