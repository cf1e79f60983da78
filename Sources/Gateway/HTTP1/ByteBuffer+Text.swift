import NIOCore

extension ByteBuffer {
    mutating func writeDecimal(_ number: Int) {
        guard number >= 10 else {
            writeInteger(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: max(0, number)))
            return
        }
        writeDecimal(number / 10)
        writeInteger(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    /// Lower case, without leading zeros: a chunk size (RFC 9112 section 7.1).
    mutating func writeChunkSize(_ size: Int) {
        if size >= 16 { writeChunkSize(size >> 4) }
        writeInteger(UInt8(truncatingIfNeeded: size & 15).hexDigit)
    }

    /// Sixteen lower-case hexadecimal digits.
    mutating func writeHex(_ word: UInt64) {
        var digits: (UInt64, UInt64) = (0, 0)
        for index in 0..<8 {
            digits.0 = digits.0 << 8 | UInt64(UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * index) & 15).hexDigit)
            digits.1 = digits.1 << 8 | UInt64(UInt8(truncatingIfNeeded: word >> UInt64(28 - 4 * index) & 15).hexDigit)
        }
        writeMultipleIntegers(digits.0, digits.1)
    }

    mutating func writeRequestID(_ id: RequestID) {
        writeWithOutputRawSpan(minimumWritableBytes: RequestID.textLength) { out in
            id.forEachByte { out.append($0) }
        }
    }
}
