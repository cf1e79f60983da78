/// Writes messages of Protocol Buffers: what OTLP needs of their wire format (protobuf.dev, "Encoding").
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ field: UInt64, _ value: UInt64) {
        tag(field, 0)
        varint(value)
    }

    /// Least significant byte first.
    mutating func fixed64(_ field: UInt64, _ value: UInt64) {
        tag(field, 1)
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift))) }
    }

    mutating func text(_ field: UInt64, _ value: String) {
        tag(field, 2)
        varint(UInt64(value.utf8.count))
        bytes += value.utf8
    }

    /// Words as bytes, most significant first.
    mutating func words(_ field: UInt64, _ values: UInt64...) {
        tag(field, 2)
        varint(UInt64(values.count * 8))
        for value in values {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
            }
        }
    }

    mutating func message(_ field: UInt64, _ write: (inout ProtobufWriter) -> Void) {
        var below = ProtobufWriter()
        write(&below)
        tag(field, 2)
        varint(UInt64(below.bytes.count))
        bytes += below.bytes
    }

    private mutating func tag(_ field: UInt64, _ type: UInt64) { varint(field << 3 | type) }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest > 0x7f {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
