/// A request's identifier in logs and responses: a version 4 UUID (RFC 9562), or the one from a trusted proxy.
public struct RequestID: Equatable, Sendable {
    let high: UInt64
    let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high & ~0xf000 | 0x4000
        self.low = low & ~(0b11 << 62) | 0b10 << 62
    }

    /// Reads a UUID in its text form with hyphens; nil for anything else.
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count == 36 else { return nil }
        var digits: (UInt64, UInt64) = (0, 0)
        for index in 0..<36 {
            if Self.isHyphenIndex(index) {
                guard bytes[index] == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = bytes[index].hexValue else { return nil }
            digits.0 = digits.0 << 4 | digits.1 >> 60
            digits.1 = digits.1 << 4 | UInt64(digit)
        }
        high = digits.0
        low = digits.1
    }

    public var text: String {
        var bytes: [UInt8] = []
        bytes.append(self)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isHyphenIndex(_ index: Int) -> Bool {
        index == 8 || index == 13 || index == 18 || index == 23
    }
}

extension UInt8 {
    /// The lower-case hexadecimal digit of a number below 16.
    public var hexDigit: UInt8 { self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "a") + self - 10 }
}

/// Random numbers for identifiers that need not be secret: xoshiro256++ (Blackman and Vigna), seeded by the system.
public struct IdentifierGenerator: Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    public init() {
        var system = SystemRandomNumberGenerator()
        state = (system.next(), system.next(), system.next(), system.next() | 1)
    }

    public mutating func next() -> UInt64 {
        let sum = state.0 &+ state.3
        let result = (sum << 23 | sum >> 41) &+ state.0
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = state.3 << 45 | state.3 >> 19
        return result
    }

    public mutating func requestID() -> RequestID { RequestID(high: next(), low: next()) }
}
