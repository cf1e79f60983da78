/// Bytes are not a message in Protobuf's wire format.
struct ProtobufMalformed: Error {}

/// Reads the fields of one message in Protobuf's wire format. It copies nothing: lengths were checked against the
/// message that a field is in, and values are places in the bytes.
struct ProtobufReader {
    struct Field {
        var number: Int
        var value: Value
    }

    enum Value {
        /// A string, bytes or a message.
        case bytes(Range<Int>)
        /// Of a type that no field of ours has; read past.
        case other
    }

    private enum WireType: UInt8 {
        case varint = 0
        case fixed64 = 1
        case lengthDelimited = 2
        case startGroup = 3
        case endGroup = 4
        case fixed32 = 5
    }

    /// Groups in groups, which only unknown fields can be.
    private static let deepestGroup = 90

    private var position: Int
    private let end: Int

    /// - Parameter message: Its place in the bytes that every call gets.
    init(_ message: Range<Int>) {
        position = message.lowerBound
        end = message.upperBound
    }

    /// The next field; nil at the end of the message.
    mutating func next(_ bytes: Span<UInt8>) throws(ProtobufMalformed) -> Field? {
        guard position < end else { return nil }
        let (number, type) = try tag(bytes)
        guard type == .lengthDelimited else {
            try skip(number, type, bytes)
            return Field(number: number, value: .other)
        }
        return Field(number: number, value: .bytes(try content(bytes)))
    }

    private mutating func tag(_ bytes: Span<UInt8>) throws(ProtobufMalformed) -> (Int, WireType) {
        let tag = try varint(bytes)
        guard tag <= UInt64(UInt32.max), tag >> 3 > 0, let type = WireType(rawValue: UInt8(tag & 7)) else {
            throw ProtobufMalformed()
        }
        return (Int(tag >> 3), type)
    }

    private mutating func varint(_ bytes: Span<UInt8>) throws(ProtobufMalformed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard position < end else { throw ProtobufMalformed() }
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        throw ProtobufMalformed()
    }

    private mutating func content(_ bytes: Span<UInt8>) throws(ProtobufMalformed) -> Range<Int> {
        let length = try varint(bytes)
        guard length <= UInt64(end - position) else { throw ProtobufMalformed() }
        let start = position
        position += Int(length)
        return start..<position
    }

    private mutating func skip(_ number: Int, _ type: WireType, _ bytes: Span<UInt8>) throws(ProtobufMalformed) {
        switch type {
        case .varint: _ = try varint(bytes)
        case .fixed64: try skip(8)
        case .fixed32: try skip(4)
        case .lengthDelimited: _ = try content(bytes)
        case .startGroup: try skipGroup(number, bytes)
        case .endGroup: throw ProtobufMalformed()
        }
    }

    private mutating func skip(_ count: Int) throws(ProtobufMalformed) {
        guard count <= end - position else { throw ProtobufMalformed() }
        position += count
    }

    private mutating func skipGroup(_ number: Int, _ bytes: Span<UInt8>) throws(ProtobufMalformed) {
        var open = [number]
        while let innermost = open.last {
            let (number, type) = try tag(bytes)
            switch type {
            case .startGroup:
                guard open.count < Self.deepestGroup else { throw ProtobufMalformed() }
                open.append(number)
            case .endGroup:
                guard number == innermost else { throw ProtobufMalformed() }
                open.removeLast()
            case .varint, .fixed64, .lengthDelimited, .fixed32: try skip(number, type, bytes)
            }
        }
    }
}
