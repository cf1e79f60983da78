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

@Suite struct PercentEncodingTests {
    @Test func everyByteSurvivesRoundTrip() {
        let bytes = [UInt8](0...255)
        let encoded = PercentEncoding.encode(bytes)
        #expect(PercentEncoding.decode(encoded) == bytes)
        #expect(PercentEncoding.decode(String(decoding: encoded, as: UTF8.self).lowercased().utf8)?.count == 256)
        #expect(PercentEncoding.encode("a b+c~%é") == "a%20b%2Bc~%25%C3%A9")
    }

    @Test(arguments: ["%", "a%2", "%%20", "%zz", "%2", "%2 "])
    func escapeWithoutTwoDigitsIsRefused(text: String) {
        #expect(PercentEncoding.decode(text.utf8) == nil)
        #expect(PercentEncoding.decodeForm(text.utf8) == nil)
    }

    @Test func formDecodesPlusAsSpaceAndRequiresUTF8() {
        #expect(PercentEncoding.decodeForm("a+b%2B%c3%A9".utf8) == "a b+é")
        #expect(PercentEncoding.decode("a+b".utf8) == Array("a+b".utf8))
        #expect(PercentEncoding.decodeForm("%ff".utf8) == nil)
    }
}
