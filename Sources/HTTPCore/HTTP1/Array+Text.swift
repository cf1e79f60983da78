/// Text in bytes, without a `String` on the way.
extension [UInt8] {
    public mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    public mutating func append(text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }

    /// - Parameters:
    ///   - number: A negative one is written as 0.
    ///   - digits: At least as many, with zeros in front.
    public mutating func appendDecimal(_ number: Int, digits: Int = 1) {
        var rest = Swift.max(0, number)
        let start = count
        repeat {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0 || count < start + digits
        self[start...].reverse()
    }

    /// The text form of an identifier: 36 bytes.
    public mutating func append(_ id: RequestID) {
        let middle = UInt32(truncatingIfNeeded: id.high).hexDigits
        let next = UInt32(truncatingIfNeeded: id.low >> 32).hexDigits
        append(digits: UInt32(truncatingIfNeeded: id.high >> 32).hexDigits, 0..<8)
        append(UInt8(ascii: "-"))
        append(digits: middle, 0..<4)
        append(UInt8(ascii: "-"))
        append(digits: middle, 4..<8)
        append(UInt8(ascii: "-"))
        append(digits: next, 0..<4)
        append(UInt8(ascii: "-"))
        append(digits: next, 4..<8)
        append(digits: UInt32(truncatingIfNeeded: id.low).hexDigits, 0..<8)
    }

    /// - Parameter digits: The first in the lowest byte.
    private mutating func append(digits: UInt64, _ range: Range<Int>) {
        Swift.withUnsafeBytes(of: digits.littleEndian) { append(contentsOf: $0[range]) }
    }
}
