public import NIOCore

/// Writes a head, piece by piece, into reserved memory of a buffer: a head has dozens of pieces, and for each of them
/// the buffer itself would check whether its memory is unique and large enough.
public struct HeadWriter: ~Copyable {
    @usableFromInline let memory: UnsafeMutableRawBufferPointer
    /// Bytes written.
    @usableFromInline private(set) var count = 0
    /// Whether something did not fit, and was left out.
    @usableFromInline private(set) var isFull = false

    @usableFromInline
    init(_ memory: UnsafeMutableRawBufferPointer) {
        self.memory = memory
    }

    @inlinable
    public mutating func writeBytes(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { write($0) }
    }

    @inlinable
    public mutating func writeBytes(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { write($0) }
    }

    @inlinable
    public mutating func writeStaticString(_ text: StaticString) {
        write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// The line of a field.
    public mutating func writeField(_ field: HeaderField) {
        writeText(field.name)
        writeStaticString(": ")
        writeBytes(field.value)
        writeStaticString("\r\n")
    }

    public mutating func writeText(_ text: String) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    /// - Parameter number: Not negative.
    public mutating func writeDecimal(_ number: Int) {
        if number >= 10 { writeDecimal(number / 10) }
        write(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: max(0, number) % 10))
    }

    /// Sixteen lower-case hexadecimal digits.
    public mutating func writeHex(_ word: UInt64) {
        write(UInt32(truncatingIfNeeded: word >> 32).hexDigits)
        write(UInt32(truncatingIfNeeded: word).hexDigits)
    }

    /// The text form of a UUID, in groups of 8, 4, 4, 4 and 12 digits.
    public mutating func writeRequestID(_ id: RequestID) {
        let hyphen = UInt8(ascii: "-")
        let second = UInt32(truncatingIfNeeded: id.high).hexDigits
        let third = UInt32(truncatingIfNeeded: id.low >> 32).hexDigits
        write(UInt32(truncatingIfNeeded: id.high >> 32).hexDigits)
        write(hyphen)
        write(UInt32(truncatingIfNeeded: second))
        write(hyphen)
        write(UInt32(truncatingIfNeeded: second >> 32))
        write(hyphen)
        write(UInt32(truncatingIfNeeded: third))
        write(hyphen)
        write(UInt32(truncatingIfNeeded: third >> 32))
        write(UInt32(truncatingIfNeeded: id.low).hexDigits)
    }

    /// Writes the bytes of `number` in little-endian order.
    @inline(__always)
    private mutating func write<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
        guard memory.count - count >= MemoryLayout<Number>.size else { return isFull = true }
        memory.storeBytes(of: number.littleEndian, toByteOffset: count, as: Number.self)
        count += MemoryLayout<Number>.size
    }

    @inlinable
    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard memory.count - count >= bytes.count else { return isFull = true }
        guard let source = bytes.baseAddress, let target = memory.baseAddress else { return }
        (target + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }
}

extension ByteBuffer {
    /// - Parameters:
    ///   - size: The approximate number of bytes.
    ///   - write: Called again with more memory if the head did not fit.
    @inlinable
    public mutating func writeHead(about size: Int, _ write: (inout HeadWriter) -> Void) {
        var size = max(size, 1)
        while true {
            var isWritten = false
            writeWithUnsafeMutableBytes(minimumWritableBytes: size) { memory in
                var writer = HeadWriter(memory)
                write(&writer)
                isWritten = !writer.isFull
                return isWritten ? writer.count : 0
            }
            if isWritten { return }
            size = max(size, writableBytes) * 2
        }
    }
}
