public import NIOCore

/// Encodes header blocks (RFC 7541): one object per connection.
///
/// A field enters the dynamic table when it is seen for the second time: values that change with each message
/// (identifiers, tags, lengths) would only evict stable ones, and no list of names can distinguish them.
public struct HPACKEncoder: Sendable {
    /// Whether a field may be in the dynamic table.
    public enum Indexing: Sendable {
        case incremental
        /// Not here, but the next hop may (RFC 7541 section 6.2.2).
        case without
        /// Nowhere on the path (section 6.2.3): secrets that are compressed together with bytes of an attacker can be
        /// guessed.
        case never
    }

    /// No entry may take more than one in this many parts of the table.
    private static let entriesAtLeast = 4
    /// The longest strings that are Huffman-coded: beyond this the coding costs more than it saves.
    private static let longestCoded = 64

    private let ourMaximum: Int
    private var table: DynamicTable
    /// The smallest size that the peer has demanded since the last block, if it must be signalled.
    private var smallestSize: Int?
    private var size: Int
    private let huffman = HuffmanEncoder.shared

    /// By hash, for fields and for names: the number of the last entry added. A stale or overwritten slot only costs a
    /// larger block, since entries are compared.
    private var slots: [UInt32] = []
    /// By hash: the field last seen that was not in the table.
    private var seen: [UInt32] = []

    /// - Parameter maximumTableSize: The largest table that we keep, in octets of RFC 7541 section 4.1.
    init(maximumTableSize: Int = HPACKDecoder.initialTableSize) {
        ourMaximum = maximumTableSize
        size = min(maximumTableSize, HPACKDecoder.initialTableSize)
        table = DynamicTable(maximumSize: size)
        // The peer's table has the initial size until it is signalled otherwise.
        smallestSize = size == HPACKDecoder.initialTableSize ? nil : size
    }

    /// The peer's SETTINGS_HEADER_TABLE_SIZE arrived; the next block begins with the resulting update.
    mutating func peerTableSizeChanged(_ peerSize: Int) {
        let wanted = min(ourMaximum, peerSize)
        guard wanted != size else { return }
        smallestSize = min(smallestSize ?? wanted, wanted)
        size = wanted
    }

    /// Must be called before the fields of each header block: signals a changed size (RFC 7541 section 4.2).
    mutating func beginBlock(to out: inout ByteBuffer) {
        guard let smallest = smallestSize else { return }
        smallestSize = nil
        if smallest != size {
            table.resize(smallest)
            out.writeHPACKInteger(smallest, prefix: 5, bits: 0x20)
        }
        table.resize(size)
        out.writeHPACKInteger(size, prefix: 5, bits: 0x20)
    }

    // MARK: Fields

    /// - Parameter name: In lower case.
    public mutating func encode(name: Span<UInt8>, value: Span<UInt8>, indexing: Indexing, to out: inout ByteBuffer) {
        let nameHash = name.hpackHash
        let nameIndex = StaticTable.index(ofName: name, hash: nameHash)
        let fieldIndex = StaticTable.index(ofValue: value, from: nameIndex)
        if fieldIndex > 0 {
            out.writeHPACKInteger(fieldIndex, prefix: 7, bits: 0x80)
            return
        }
        switch indexing {
        case .never: writeLiteral(name, nameIndex, nameHash, value, prefix: 4, bits: 0x10, to: &out)
        case .without: writeLiteral(name, nameIndex, nameHash, value, prefix: 4, bits: 0, to: &out)
        case .incremental: encodeIndexed(name, nameIndex, nameHash, value, to: &out)
        }
    }

    /// - Parameter status: Three digits.
    public mutating func encode(status: Int, to out: inout ByteBuffer) {
        switch status {
        case 200: out.writeInteger(UInt8(0x88))
        case 204: out.writeInteger(UInt8(0x89))
        case 206: out.writeInteger(UInt8(0x8a))
        case 304: out.writeInteger(UInt8(0x8b))
        case 400: out.writeInteger(UInt8(0x8c))
        case 404: out.writeInteger(UInt8(0x8d))
        case 500: out.writeInteger(UInt8(0x8e))
        default:
            // A literal under the name of index 8, not indexed; three bytes of value.
            out.writeMultipleIntegers(UInt8(0x08), UInt8(3))
            out.writeDecimal(status)
        }
    }

    private mutating func encodeIndexed(
        _ name: Span<UInt8>,
        _ nameIndex: Int,
        _ nameHash: UInt32,
        _ value: Span<UInt8>,
        to out: inout ByteBuffer
    ) {
        let hash = nameHash &* 0x9e37_79b1 ^ value.hpackHash
        if let index = index(ofField: name, value, hash: hash) {
            out.writeHPACKInteger(index, prefix: 7, bits: 0x80)
            return
        }
        let entrySize = name.count + value.count + 32
        guard entrySize * Self.entriesAtLeast <= table.maximumSize, isSeenAgain(hash) else {
            writeLiteral(name, nameIndex, nameHash, value, prefix: 4, bits: 0, to: &out)
            return
        }
        writeLiteral(name, nameIndex, nameHash, value, prefix: 6, bits: 0x40, to: &out)
        if slots.isEmpty { slots = [UInt32](repeating: 0, count: 256) }
        guard table.add(name: name, value: value) else { return }
        let number = UInt32(truncatingIfNeeded: table.added - 1)
        slots[Int(hash & 255)] = number
        if nameIndex == 0 { slots[Int(nameHash & 255)] = number }
    }

    private mutating func isSeenAgain(_ hash: UInt32) -> Bool {
        if seen.isEmpty { seen = [UInt32](repeating: 0, count: 64) }
        let slot = Int(hash >> 8 & 63)
        if seen[slot] == hash { return true }
        seen[slot] = hash
        return false
    }

    // MARK: The dynamic table

    /// The dynamic index, from 0, of the last entry added under this hash, if it is still there.
    private func entryIndex(_ hash: UInt32) -> Int? {
        guard table.count > 0 else { return nil }
        let age = UInt32(truncatingIfNeeded: table.added - 1) &- slots[Int(hash & 255)]
        return age < UInt32(table.count) ? Int(age) : nil
    }

    private func index(ofField name: Span<UInt8>, _ value: Span<UInt8>, hash: UInt32) -> Int? {
        guard let index = entryIndex(hash) else { return nil }
        let entry = table.entry(index)
        guard entry.nameLength == name.count, entry.valueLength == value.count,
            table.withBytes(entry, { name.isPrefix(of: $0, at: 0) && value.isPrefix(of: $0, at: name.count + 2) })
        else { return nil }
        return StaticTable.count + 1 + index
    }

    private func index(ofName name: Span<UInt8>, hash: UInt32) -> Int? {
        guard let index = entryIndex(hash) else { return nil }
        let entry = table.entry(index)
        guard entry.nameLength == name.count, table.withBytes(entry, { name.isPrefix(of: $0, at: 0) }) else {
            return nil
        }
        return StaticTable.count + 1 + index
    }

    // MARK: Literals

    private func writeLiteral(
        _ name: Span<UInt8>,
        _ nameIndex: Int,
        _ nameHash: UInt32,
        _ value: Span<UInt8>,
        prefix: Int,
        bits: UInt8,
        to out: inout ByteBuffer
    ) {
        let index = nameIndex > 0 ? nameIndex : self.index(ofName: name, hash: nameHash) ?? 0
        out.writeHPACKInteger(index, prefix: prefix, bits: bits)
        if index == 0 { writeString(name, to: &out) }
        writeString(value, to: &out)
    }

    private func writeString(_ text: Span<UInt8>, to out: inout ByteBuffer) {
        if text.count <= Self.longestCoded {
            let length = huffman.length(of: text)
            if length < text.count {
                out.writeHPACKInteger(length, prefix: 7, bits: 0x80)
                huffman.write(text, length: length, to: &out)
                return
            }
        }
        out.writeHPACKInteger(text.count, prefix: 7, bits: 0)
        out.writeBytes(text.bytes)
    }
}

extension ByteBuffer {
    /// An integer whose first byte has `prefix` bits for it, under `bits` (RFC 7541 section 5.1).
    mutating func writeHPACKInteger(_ number: Int, prefix: Int, bits: UInt8) {
        let limit = 1 << prefix - 1
        guard number >= limit else {
            writeInteger(bits | UInt8(truncatingIfNeeded: number))
            return
        }
        writeInteger(bits | UInt8(truncatingIfNeeded: limit))
        var rest = number - limit
        while rest >= 0x80 {
            writeInteger(UInt8(truncatingIfNeeded: rest & 0x7f | 0x80))
            rest >>= 7
        }
        writeInteger(UInt8(truncatingIfNeeded: rest))
    }
}
