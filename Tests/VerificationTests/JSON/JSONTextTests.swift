import TestSupport
import Testing
import Verification

struct JSONTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("a\"b", "a\\\"b"), ("\\", "\\\\"), ("\n\t\u{0}", "\\u000a\\u0009\\u0000"),
        ("\u{1f}\u{7f}", "\\u001f\\u007f"), ("\u{e9}\u{20ac}", "\u{e9}\u{20ac}"), ("/", "/"), ("", ""),
    ])
    func textIsEscaped(text: String, expected: String) {
        #expect(String(decoding: JSONText.escaped(text), as: UTF8.self) == expected)
    }

    @Test func escapedTextIsReadBack() throws {
        var random = SplitMix64(seed: 80)
        let scalars = ["\u{0}", "\u{8}", "\n", "\"", "\\", "/", "\u{7f}", "a", "\u{e9}", "\u{2028}", "\u{1f600}"]
        for _ in 0..<2000 {
            let text = (0..<random.below(12)).map { _ in random.pick(scalars) }.joined()
            let quote = [UInt8(ascii: "\"")]
            let value = try JSONParser.parse(quote + JSONText.escaped(text) + quote)
            #expect(value == .string(text))
            var spanned: [UInt8] = []
            JSONText.escape(Array(text.utf8).span, into: &spanned)
            #expect(spanned == JSONText.escaped(text))
        }
    }
}
