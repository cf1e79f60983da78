public import NIOCore

extension ByteBuffer {
    public mutating func writeDecimal(_ number: Int) {
        guard number >= 10 else {
            writeInteger(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: max(0, number)))
            return
        }
        writeDecimal(number / 10)
        writeInteger(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    /// Lower case, without leading zeros: a chunk size (RFC 9112 section 7.1).
    public mutating func writeChunkSize(_ size: Int) {
        if size >= 16 { writeChunkSize(size >> 4) }
        writeInteger(UInt8(truncatingIfNeeded: size & 15).hexDigit)
    }
}

extension UInt32 {
    /// The eight lower-case hexadecimal digits, the first in the lowest byte. All at once, without a table or a loop:
    /// each request writes four such numbers.
    @inlinable
    public var hexDigits: UInt64 {
        var digits = UInt64(self)
        // One nibble per byte, the highest nibble in the lowest byte.
        digits = (digits & 0xffff) << 32 | digits >> 16
        digits = (digits & 0x0000_ff00_0000_ff00) >> 8 | (digits & 0x0000_00ff_0000_00ff) << 16
        digits = (digits & 0x00f0_00f0_00f0_00f0) >> 4 | (digits & 0x000f_000f_000f_000f) << 8
        // 1 where a digit is a letter.
        let letters = (digits + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return digits + 0x3030_3030_3030_3030 + letters * 0x27
    }
}
