/// The decoded fields of one header block. One object per worker, reused for each block.
///
/// Each field is in ``bytes`` as a line of HTTP/1.1, `name: value CRLF`, one after the other: the head for the parser
/// is then a few copies, whatever the number of fields.
public struct HeaderList: Sendable {
    /// A field as offsets into the list's bytes.
    public struct Field: Sendable {
        public private(set) var start: Int32
        private(set) var nameEnd: Int32
        private(set) var valueEnd: Int32

        init(start: Int, nameLength: Int, valueLength: Int) {
            self.start = Int32(truncatingIfNeeded: start)
            nameEnd = Int32(truncatingIfNeeded: start + nameLength)
            valueEnd = Int32(truncatingIfNeeded: start + nameLength + 2 + valueLength)
        }

        public var name: Range<Int> { Int(start)..<Int(nameEnd) }
        public var value: Range<Int> { (Int(nameEnd) + 2)..<Int(valueEnd) }
        /// The field's line with its CRLF.
        var line: Range<Int> { Int(start)..<(Int(valueEnd) + 2) }
    }

    /// Only the ranges in ``fields`` belong to this list; the rest is spare memory.
    public private(set) var bytes: [UInt8]
    public private(set) var fields: [Field] = []
    /// Whether a limit was reached. The fields from there on are missing, but were decoded, so that the dynamic table
    /// stayed in step.
    public private(set) var isTooLarge = false
    /// The sum of the fields' sizes, 32 and the lengths of name and value each (RFC 9113 section 6.5.2).
    private(set) var size = 0

    private var length = 0
    private var maximumSize = 0
    private var maximumFields = 0

    public init() {
        bytes = [UInt8](repeating: 0, count: 4096)
        fields.reserveCapacity(128)
    }

    /// Empties the list, and keeps its memory.
    ///
    /// - Parameters:
    ///   - maximumSize: The largest ``size``.
    ///   - maximumFields: The most fields, pseudo-header fields among them.
    public mutating func reset(maximumSize: Int, maximumFields: Int) {
        fields.removeAll(keepingCapacity: true)
        isTooLarge = false
        size = 0
        length = 0
        self.maximumSize = maximumSize
        self.maximumFields = maximumFields
    }

    // MARK: For the decoder

    /// Where the next field begins.
    var end: Int { length }

    /// Lets `write` write at most `count` bytes at `offset` past the bytes in use, and returns its result.
    ///
    /// None of it counts before ``commit(nameLength:valueLength:)``.
    mutating func withSpace<Result, Failure: Error>(
        at offset: Int,
        for count: Int,
        _ write: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = length + offset
        // The bytes between name, value and the next line are written when the field is committed.
        reserve(start + count + 4)
        return try bytes.withUnsafeMutableBufferPointer { buffer throws(Failure) in
            var span = MutableSpan(_unsafeElements: buffer.extracting(start..<(start + count)))
            return try write(&span)
        }
    }

    /// As ``withSpace(at:for:_:)``, for given bytes.
    mutating func copy(_ source: Span<UInt8>, at offset: Int) {
        let start = length + offset
        reserve(start + source.count + 4)
        bytes.replace(at: start, with: source)
    }

    /// Makes a field of the bytes written at offset 0 (its name) and at `nameLength + 2` (its value), unless the list
    /// is full.
    mutating func commit(nameLength: Int, valueLength: Int) {
        let fieldSize = nameLength + valueLength + 32
        guard !isTooLarge, size + fieldSize <= maximumSize, fields.count < maximumFields else {
            isTooLarge = true
            return
        }
        size += fieldSize
        let nameEnd = length + nameLength
        let valueEnd = nameEnd + 2 + valueLength
        bytes[nameEnd] = UInt8(ascii: ":")
        bytes[nameEnd + 1] = UInt8(ascii: " ")
        bytes[valueEnd] = 0x0d
        bytes[valueEnd + 1] = 0x0a
        fields.append(Field(start: length, nameLength: nameLength, valueLength: valueLength))
        length = valueEnd + 2
    }

    private mutating func reserve(_ count: Int) {
        guard count > bytes.count else { return }
        bytes.append(contentsOf: repeatElement(0, count: max(count, 2 * bytes.count) - bytes.count))
    }
}
