public import NIOCore

/// Writes strings in the Huffman code (RFC 7541 section 5.2).
public struct HuffmanEncoder: Sendable {
    static let shared = HuffmanEncoder()

    /// By byte: the code, and below it its length in the lowest eight bits.
    private let codes: [UInt64]

    private init() {
        codes = (0..<256).map { UInt64(HuffmanCode.codes[$0]) << 8 | UInt64(HuffmanCode.lengths[$0]) }
    }

    /// The encoded length of `text` in bytes.
    public func length(of text: Span<UInt8>) -> Int {
        let codes = self.codes.span
        var bits: UInt64 = 0
        for position in 0..<text.count { bits &+= codes[Int(text[position])] & 0xff }
        return (Int(truncatingIfNeeded: bits) + 7) / 8
    }

    /// - Parameter length: The result of ``length(of:)``.
    public func write(_ text: Span<UInt8>, length: Int, to out: inout ByteBuffer) {
        let codes = self.codes.span
        out.writeWithOutputRawSpan(minimumWritableBytes: length) { output in
            var bits: UInt64 = 0
            var count: UInt64 = 0
            for position in 0..<text.count {
                let code = codes[Int(text[position])]
                bits = bits << (code & 0xff) | code >> 8
                count += code & 0xff
                guard count >= 32 else { continue }
                count -= 32
                output.append(UInt32(truncatingIfNeeded: bits >> count).bigEndian, as: UInt32.self)
            }
            // Padded with ones to a whole byte.
            let padding = (8 - count & 7) & 7
            bits = bits << padding | (1 << padding - 1)
            count += padding
            while count > 0 {
                count -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
    }
}
