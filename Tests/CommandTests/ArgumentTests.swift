import Testing
import Verification

@testable import gatehouse

struct ArgumentTests {
    @Test(arguments: [("30s", 30), ("5m", 300), ("24h", 86_400), ("7d", 604_800), ("0s", 0)])
    func durationsNeedAUnit(_ text: String, _ seconds: Int) {
        #expect(DurationArgument(argument: text)?.seconds == seconds)
    }

    @Test(arguments: [
        "", "h", "30", "-1h", "1.5h", "1 h", "1w", "+1h", "99999999999999999999d", "9223372036854775807d",
    ])
    func whatIsNoDurationIsRefused(_ text: String) {
        #expect(DurationArgument(argument: text) == nil)
    }

    @Test func algorithmsAreSeparatedByCommas() throws {
        #expect(try SignatureAlgorithm.list("RS256,EdDSA") == [.rs256, .edDSA])
        #expect(throws: (any Error).self) { try SignatureAlgorithm.list("RS256,none") }
        #expect(throws: (any Error).self) { try SignatureAlgorithm.list("RS256,") }
    }

    @Test func onlyOneTrailingNewlineIsRemoved() {
        #expect(Array("a\n\n".utf8).withoutTrailingNewline == Array("a\n".utf8))
        #expect(Array("a \n".utf8).withoutTrailingNewline == Array("a ".utf8))
        #expect(Array("a".utf8).withoutTrailingNewline == Array("a".utf8))
        #expect([UInt8]().withoutTrailingNewline.isEmpty)
    }
}
