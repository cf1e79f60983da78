import Testing
import Verification

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
