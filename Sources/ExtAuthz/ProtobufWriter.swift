/// Writes the fields of one message in Protobuf's wire format.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    /// A number or an enumeration; as proto3 demands, 0 is left out.
    mutating func write(_ number: UInt8, _ value: Int) {
        guard value != 0 else { return }
        bytes.append(number << 3)
        writeVarint(UInt64(bitPattern: Int64(value)))
    }

    /// A string that is not empty, or one in a list, where an empty one counts.
    mutating func write(_ number: UInt8, _ text: some Collection<UInt8>) {
        bytes.append(number << 3 | 2)
        writeVarint(UInt64(text.count))
        bytes += text
    }

    /// A string; as proto3 demands, an empty one is left out.
    mutating func writeUnlessEmpty(_ number: UInt8, _ text: some Collection<UInt8>) {
        if !text.isEmpty { write(number, text) }
    }

    /// A message, which counts also if it is empty.
    mutating func write(_ number: UInt8, _ fields: (inout ProtobufWriter) -> Void) {
        var message = ProtobufWriter()
        fields(&message)
        write(number, message.bytes)
    }

    private mutating func writeVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
