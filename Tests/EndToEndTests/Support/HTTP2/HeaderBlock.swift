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
    static func incremental(_ name: String, _ value: String, huffman: Bool = false) -> HeaderBlock {
        HeaderBlock([0x40] + string(name, huffman) + string(value, huffman))
    }

    /// - Parameter nameIndex: Of the static or dynamic table.
    static func incremental(nameIndex: Int, _ value: String, huffman: Bool = false) -> HeaderBlock {
        HeaderBlock(integer(nameIndex, prefix: 6, pattern: 0x40) + string(value, huffman))
    }

    static func withoutIndexing(_ name: String, _ value: String, huffman: Bool = false) -> HeaderBlock {
        HeaderBlock([0x00] + string(name, huffman) + string(value, huffman))
    }

    static func withoutIndexing(nameIndex: Int, _ value: String, huffman: Bool = false) -> HeaderBlock {
        HeaderBlock(integer(nameIndex, prefix: 4, pattern: 0x00) + string(value, huffman))
    }

    static func neverIndexed(_ name: String, _ value: String, huffman: Bool = false) -> HeaderBlock {
        HeaderBlock([0x10] + string(name, huffman) + string(value, huffman))
    }

    static func neverIndexed(nameIndex: Int, _ value: String, huffman: Bool = false) -> HeaderBlock {
        HeaderBlock(integer(nameIndex, prefix: 4, pattern: 0x10) + string(value, huffman))
    }

    /// A literal whose value is bytes that need not be text.
    static func neverIndexed(_ name: String, bytes: [UInt8]) -> HeaderBlock {
        HeaderBlock([0x10] + string(name, false) + integer(bytes.count, prefix: 7, pattern: 0) + bytes)
    }

    /// A literal whose value is said to be Huffman-coded (RFC 7541 section 5.2).
    static func neverIndexed(_ name: String, huffmanBytes bytes: [UInt8]) -> HeaderBlock {
        HeaderBlock([0x10] + string(name, false) + integer(bytes.count, prefix: 7, pattern: 0x80) + bytes)
    }

    // MARK: Primitives

    /// RFC 7541 section 5.1.
    static func integer(_ value: Int, prefix: Int, pattern: UInt8) -> [UInt8] {
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

    private static func string(_ text: String, _ huffman: Bool) -> [UInt8] {
        let bytes = huffman ? huffmanCoded(text) : Array(text.utf8)
        return integer(bytes.count, prefix: 7, pattern: huffman ? 0x80 : 0) + bytes
    }

    /// The characters whose codes have five bits, in the order of their codes (RFC 7541 appendix B).
    private static let fiveBitCharacters = Array("012aceiost")

    /// Text of those ten characters alone.
    private static func huffmanCoded(_ text: String) -> [UInt8] {
        var bits = text.flatMap { character -> [Bool] in
            guard let code = fiveBitCharacters.firstIndex(of: character) else {
                preconditionFailure("\(character) has more than five bits")
            }
            return (0..<5).reversed().map { code >> $0 & 1 == 1 }
        }
        while bits.count % 8 != 0 { bits.append(true) }
        return stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
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
