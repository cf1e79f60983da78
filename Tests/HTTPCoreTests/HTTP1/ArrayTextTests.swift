import HTTPCore
import Testing

/// Text that is written into bytes without a string.
@Suite struct ArrayTextTests {
    @Test(arguments: [
        (0, 1, "0"), (7, 1, "7"), (10, 1, "10"), (512, 1, "512"), (Int.max, 1, "9223372036854775807"), (-3, 1, "0"),
        (7, 3, "007"), (45, 3, "045"), (999, 3, "999"), (1000, 3, "1000"),
    ])
    func decimalHasAtLeastSoManyDigits(_ number: Int, _ digits: Int, _ expected: String) {
        var bytes = Array("x".utf8)
        bytes.appendDecimal(number, digits: digits)
        #expect(String(decoding: bytes, as: UTF8.self) == "x" + expected)
    }

    @Test func identifierIsWrittenAsItIsRead() throws {
        for text in ["01234567-89ab-4def-8123-456789abcdef", "00000000-0000-4000-8000-000000000000"] {
            let read = RequestID(Array(text.utf8).span)
            let id = try #require(read)
            var bytes: [UInt8] = []
            bytes.append(id)
            #expect(String(decoding: bytes, as: UTF8.self) == text)
        }
    }

    @Test func textsAreAppendedAsTheyAre() {
        var bytes: [UInt8] = []
        bytes.append("a\"ü" as StaticString)
        let long = "\u{1F642}, and a text that is too long for a small string"
        bytes.append(text: long)
        #expect(String(decoding: bytes, as: UTF8.self) == "a\"ü" + long)
    }
}
