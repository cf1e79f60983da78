public import NIOCore

/// A trailer section as a header block of literals without indexing (RFC 7541 section 6.2.2).
///
/// Trailers may wait behind queued data, while other streams change the dynamic table: such a block has the same
/// meaning whenever it is sent.
public struct HTTP2TrailerBlock: Sendable {
    public private(set) var bytes = ByteBuffer()

    /// Strings are not Huffman-coded (RFC 7541 section 5.2).
    ///
    /// - Parameter name: In any case; it is written in lower case, as HTTP/2 demands.
    public mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
        bytes.writeInteger(UInt8(0))
        bytes.writeHPACKInteger(name.count, prefix: 7, bits: 0)
        for position in 0..<name.count { bytes.writeInteger(name[position].asciiLowercased) }
        bytes.writeHPACKInteger(value.count, prefix: 7, bits: 0)
        bytes.writeBytes(value.bytes)
    }
}
