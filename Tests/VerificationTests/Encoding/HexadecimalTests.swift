import Testing
import Verification

@Suite struct HexadecimalTests {
    @Test func everyByteSurvivesRoundTrip() {
        let bytes = [UInt8](0...255)
        let text = Hexadecimal.text(bytes)
        #expect(text.hasPrefix("000102030405060708090a0b0c0d0e0f10") && text.hasSuffix("feff"))
        #expect(Hexadecimal.bytes(text) == bytes)
        #expect(Hexadecimal.text(0x0123_4567_89ab_cdef) == "0123456789abcdef")
        #expect(Hexadecimal.text(UInt64(0)) == "0000000000000000")
    }

    @Test(arguments: ["0", "+1", "0A", "abc", "AB", "aB", "0g", " 0", "0x", "é"])
    func textOtherThanPairsOfLowercaseDigitsIsRefused(text: String) {
        #expect(Hexadecimal.bytes(text) == nil)
    }
}
