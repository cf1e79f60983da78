import HTTPCore
import TestSupport
import Testing

struct RequestIDTests {
    private func read(_ text: String) -> RequestID? {
        let bytes = Array(text.utf8)
        return RequestID(bytes.span)
    }

    @Test func textIsUUIDVersion4() {
        #expect(RequestID(high: 0, low: 0).text == "00000000-0000-4000-8000-000000000000")
        #expect(RequestID(high: .max, low: .max).text == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        let id = RequestID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)
        #expect(id.text == "01234567-89ab-4def-bedc-ba9876543210")
    }

    @Test func identifierKeepsVersionVariantAndText() {
        var random = SplitMix64(seed: 70)
        for _ in 0..<5000 {
            let id = RequestID(high: random.next(), low: random.next())
            let text = Array(id.text)
            #expect(text.count == 36)
            #expect(text[14] == "4" && "89ab".contains(text[19]))
            #expect(read(id.text) == id)
            #expect(read(id.text.uppercased()) == id)
        }
    }

    @Test func identifierOfAnotherVersionIsKept() {
        let text = "0190163d-8694-739b-aea5-966c26f8ad91"
        #expect(read(text)?.text == text)
    }

    @Test(arguments: [
        "", "0123456789ab4defbedcba9876543210", "01234567-89ab-4def-bedc-ba987654321",
        "{1234567-89ab-4def-bedc-ba9876543210", "01234567-89ab-4def-bedc-ba98765432100",
        "0123456-789ab-4def-bedc-ba9876543210", "01234567-89ab-4def-bedc_ba9876543210",
        "01234567-89ab-4def-bedc-ba987654321g", "01234567 89ab 4def bedc ba9876543210",
    ])
    func invalidIdentifierIsRejected(text: String) {
        #expect(read(text) == nil)
    }

    @Test func generatedIdentifiersDiffer() {
        var generator = IdentifierGenerator()
        let texts = (0..<2000).map { _ in generator.requestID().text }
        #expect(Set(texts).count == texts.count)
    }

    /// Its first words from the state of the algorithm's definition cannot be set from outside, but words must use
    /// every bit.
    @Test func generatedNumbersUseEveryBit() {
        var generator = IdentifierGenerator()
        let words = (0..<200).map { _ in generator.next() }
        #expect(words.reduce(0, |) == .max)
        #expect(words.reduce(.max, &) == 0)
    }
}
