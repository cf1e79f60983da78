import TestSupport
import Testing

@testable import Verification

@Suite struct CompactTokenTests {
    private func reason(_ token: String) -> VerificationFailure.Code? {
        do throws(VerificationFailure) {
            _ = try CompactToken(splitting: Array(token.utf8).span)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(arguments: ["", ".", "..", "a.b", "a.b.", ".b.c", "a.b.c.d", "abc", "a.b.c.d.e.f"])
    func tokenWithoutThreePartsIsRefused(token: String) {
        #expect(reason(token) == .malformed)
    }

    @Test func fivePartsAreAnEncryptedToken() {
        #expect(reason("a.b.c.d.e") == .encrypted)
    }

    @Test func emptyPayloadIsAPart() throws {
        let parts = try CompactToken(splitting: Array("aa..cc".utf8).span)
        #expect(parts.payload.isEmpty)
        #expect(parts.signingInput == 0..<3)
    }

    @Test func tokenOverSixteenKiBIsRefused() {
        let start = "a.b."
        let room = 16 * 1024 - start.utf8.count
        #expect(reason(start + String(repeating: "c", count: room)) == nil)
        #expect(reason(start + String(repeating: "c", count: room + 1)) == .tooLong)
    }

    @Test func partsAndDotsAreTheWholeToken() {
        var random = SplitMix64(seed: 3)
        let characters = Array("ab..".utf8)
        for _ in 0..<5_000 {
            let token = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                characters.randomElement(using: &random) ?? 0
            }
            let expected = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            let parts = try? CompactToken(splitting: token.span)
            guard expected.count == 3, !expected[0].isEmpty, !expected[2].isEmpty else {
                #expect(parts == nil)
                continue
            }
            #expect(parts.map { [token[$0.header], token[$0.payload], token[$0.signature]] } == expected)
        }
    }
}
