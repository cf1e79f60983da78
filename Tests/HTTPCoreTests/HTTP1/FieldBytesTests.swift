import TestSupport
import Testing

@testable import HTTPCore

/// The fast ways to look at the bytes of fields, beside the plain ones.
@Suite struct FieldBytesTests {
    @Test func onlyTokenBytesAreFolded() {
        let folding = TokenFolding()
        for byte in UInt8.min...UInt8.max {
            #expect(folding[byte] == (byte.isTokenByte ? byte.asFieldNameByte : 0), "byte \(byte)")
        }
    }

    /// Each byte at each place of a value, in values of each length up to two steps of 32 bytes and some more.
    @Test func controlByteIsFoundAtAnyIndex() {
        for length in 1...75 {
            for place in 0..<length {
                for byte: UInt8 in [0x00, 0x08, 0x09, 0x0a, 0x1f, 0x20, 0x7e, 0x7f, 0x80, 0xff] {
                    var value = [UInt8](repeating: 0x61, count: length + 2)
                    // Beside the value.
                    value[0] = 0x0a
                    value[length + 1] = 0x7f
                    value[1 + place] = byte
                    let isControl = byte < 0x20 && byte != 0x09 || byte == 0x7f
                    let found = value.span.hasControlByte(in: 1..<1 + length)
                    if found != isControl { Issue.record("byte \(byte) at \(place) of \(length)") }
                }
            }
        }
    }

    @Test func controlByteIsFoundInRandomBytes() {
        var random = SplitMix64(seed: 91)
        for _ in 0..<5000 {
            let value = (0..<Int.random(in: 0...100, using: &random)).map { _ in
                Int.random(in: 0..<60, using: &random) == 0
                    ? UInt8.random(in: 0...255, using: &random) : [0x09, 0x61, 0xe9].randomElement(using: &random) ?? 0
            }
            let isControl = value.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }
            if value.span.hasControlByte(in: 0..<value.count) != isControl { Issue.record("\(value)") }
        }
    }
}
