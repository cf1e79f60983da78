public import NIOCore

/// A trailer section as a header block of literals without indexing (RFC 7541 section 6.2.2).
///
/// Trailers may wait behind queued data, while other streams change the dynamic table: such a block has the same
/// meaning whenever it is sent.
public struct HTTP2TrailerBlock: Sendable {
    public private(set) var bytes = ByteBuffer()

    init() {}

    /// - Parameter name: In any case; it is written in lower case, as HTTP/2 demands.
    public mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
        bytes.writeInteger(UInt8(0))
        writeLength(name.count)
        for position in 0..<name.count {
            let byte = name[position]
            let isUpperCase = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            bytes.writeInteger(isUpperCase ? byte | 0x20 : byte)
        }
        writeLength(value.count)
        value.withUnsafeBytes { raw in _ = bytes.writeBytes(raw) }
    }

    /// A string's length with a prefix of seven bits, not Huffman-coded (RFC 7541 sections 5.1 and 5.2).
    private mutating func writeLength(_ length: Int) {
        guard length >= 0x7f else {
            bytes.writeInteger(UInt8(truncatingIfNeeded: length))
            return
        }
        bytes.writeInteger(UInt8(0x7f))
        var rest = length - 0x7f
        while rest >= 0x80 {
            bytes.writeInteger(UInt8(truncatingIfNeeded: rest & 0x7f | 0x80))
            rest >>= 7
        }
        bytes.writeInteger(UInt8(truncatingIfNeeded: rest))
    }
}
