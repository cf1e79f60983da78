/// Why a header block cannot be decoded. The two tables are then out of step, so each is a connection error
/// COMPRESSION_ERROR (RFC 9113 section 4.3).
public enum HPACKFailure: Error, Equatable, Sendable {
    case truncated
    case integerTooLarge
    case indexOutOfRange
    case misplacedSizeUpdate
    case sizeUpdateTooLarge
    case malformedHuffman
    /// More fields than any real message has: two bytes can name a field of several thousand, which costs as many to
    /// copy.
    case tooManyFields
}

/// Decodes header blocks (RFC 7541): one object per connection.
public struct HPACKDecoder: Sendable {
    /// The initial size of a table, before its reader's SETTINGS are acknowledged (RFC 9113 section 6.5.2).
    static let initialTableSize = 4096

    /// Of one block, including those that do not fit into the list.
    public static let maximumFields = 1024

    private let maximumTableSize: Int
    private var table = DynamicTable(maximumSize: initialTableSize)
    private let huffman = HuffmanDecoder.shared

    /// - Parameter maximumTableSize: Our SETTINGS_HEADER_TABLE_SIZE, in octets of RFC 7541 section 4.1.
    init(maximumTableSize: Int = HPACKDecoder.initialTableSize) {
        self.maximumTableSize = maximumTableSize
    }

    /// Decodes one whole header block, appending to `list`. The end of `block` is the end of the header block.
    mutating func decode(_ block: Span<UInt8>, into list: inout HeaderList) throws(HPACKFailure) {
        var position = 0
        var fieldCount = 0
        while position < block.count {
            let byte = block[position]
            // RFC 7541 sections 6.1, 6.2.1, 6.3 and, for both kinds of literals that are not indexed, 6.2.2 and 6.2.3.
            if byte & 0x80 != 0 {
                try takeIndexed(Self.integer(block, &position, prefix: 7), &list)
            } else if byte & 0x40 != 0 {
                try takeLiteral(block, &position, prefix: 6, isIndexed: true, &list)
            } else if byte & 0x20 != 0 {
                let size = try Self.integer(block, &position, prefix: 5)
                guard fieldCount == 0 else { throw .misplacedSizeUpdate }
                guard size <= maximumTableSize else { throw .sizeUpdateTooLarge }
                table.resize(size)
                continue
            } else {
                try takeLiteral(block, &position, prefix: 4, isIndexed: false, &list)
            }
            fieldCount += 1
            guard fieldCount <= Self.maximumFields else { throw .tooManyFields }
        }
    }

    // MARK: Fields

    private func takeIndexed(_ index: Int, _ list: inout HeaderList) throws(HPACKFailure) {
        guard index > 0 else { throw .indexOutOfRange }
        if index <= StaticTable.count {
            let field = StaticTable.fields[index]
            if !list.isTooLarge { list.copy(field.bytes.span, at: 0) }
            list.commit(nameLength: field.nameLength, valueLength: field.valueLength)
            return
        }
        guard index - StaticTable.count <= table.count else { throw .indexOutOfRange }
        let entry = table.entry(index - StaticTable.count - 1)
        if !list.isTooLarge { table.withBytes(entry) { list.copy($0, at: 0) } }
        list.commit(nameLength: Int(entry.nameLength), valueLength: Int(entry.valueLength))
    }

    private mutating func takeLiteral(
        _ block: Span<UInt8>,
        _ position: inout Int,
        prefix: UInt8,
        isIndexed: Bool,
        _ list: inout HeaderList
    ) throws(HPACKFailure) {
        let index = try Self.integer(block, &position, prefix: prefix)
        let nameLength =
            index == 0 ? try takeString(block, &position, at: 0, &list) : try takeName(index, &list)
        let valueLength = try takeString(block, &position, at: nameLength + 2, &list)
        if isIndexed {
            // Taken from where it was decoded to, before another field may be written there.
            let name = list.bytes.span.extracting(list.end..<(list.end + nameLength))
            let valueStart = list.end + nameLength + 2
            table.add(name: name, value: list.bytes.span.extracting(valueStart..<(valueStart + valueLength)))
        }
        list.commit(nameLength: nameLength, valueLength: valueLength)
    }

    /// Copies the name of an entry and returns its length.
    private func takeName(_ index: Int, _ list: inout HeaderList) throws(HPACKFailure) -> Int {
        if index <= StaticTable.count {
            let field = StaticTable.fields[index]
            list.copy(field.bytes.span.extracting(0..<field.nameLength), at: 0)
            return field.nameLength
        }
        guard index - StaticTable.count <= table.count else { throw .indexOutOfRange }
        let entry = table.entry(index - StaticTable.count - 1)
        let length = Int(entry.nameLength)
        table.withBytes(entry) { list.copy($0.extracting(0..<length), at: 0) }
        return length
    }

    // MARK: Integers and strings (RFC 7541 section 5)

    /// Integers above 2^28 + the prefix are refused: no length is that large.
    private static func integer(
        _ block: Span<UInt8>,
        _ position: inout Int,
        prefix: UInt8
    ) throws(HPACKFailure) -> Int {
        guard position < block.count else { throw .truncated }
        let limit = UInt8(truncatingIfNeeded: 1 << UInt(prefix) - 1)
        let first = block[position] & limit
        position += 1
        guard first == limit else { return Int(first) }
        var number = Int(limit)
        var shift = 0
        while position < block.count {
            let byte = block[position]
            position += 1
            number += Int(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return number }
            shift += 7
            guard shift <= 21 else { throw .integerTooLarge }
        }
        throw .truncated
    }

    /// Decodes a string to `offset` past the end of `list`, and returns its length.
    private func takeString(
        _ block: Span<UInt8>,
        _ position: inout Int,
        at offset: Int,
        _ list: inout HeaderList
    ) throws(HPACKFailure) -> Int {
        guard position < block.count else { throw .truncated }
        let isHuffman = block[position] & 0x80 != 0
        let length = try Self.integer(block, &position, prefix: 7)
        guard length <= block.count - position else { throw .truncated }
        let coded = block.extracting(position..<(position + length))
        position += length
        guard isHuffman else {
            list.copy(coded, at: offset)
            return length
        }
        return try list.withSpace(at: offset, for: HuffmanDecoder.mostDecoded(length)) {
            out throws(HPACKFailure) in
            try huffman.decode(coded, into: &out)
        }
    }
}
