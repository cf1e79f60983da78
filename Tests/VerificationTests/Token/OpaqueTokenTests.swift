import Testing
import Verification

/// Which tokens a server is asked about.
struct OpaqueTokenTests {
    private func isOpaque(_ token: String) -> Bool { OpaqueToken.isOpaque(Array(token.utf8).span) }

    private func isWellFormed(_ token: String) -> Bool { OpaqueToken.isWellFormed(Array(token.utf8).span) }

    @Test(arguments: [
        "eyJhbGciOiJIUzI1NiJ9.e30.c2ln", "eyJ..", "eyJhbGciOiJub25lIn0.e30.", "eyI.e30.x", "eyKx.a.b", "eyLx.a.b",
    ])
    func compactJWSIsNotOpaque(token: String) {
        #expect(!isOpaque(token))
    }

    private func encoded(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }

    /// JSON may have white space, and a JWT is not to be shown to anybody for it.
    @Test(arguments: [
        "{ \"alg\":\"RS256\"}", "{\n  \"alg\": \"RS256\"\n}", "{\r\n\"alg\":\"RS256\"}", "{\t\"alg\":\"RS256\"}",
        " {\"alg\":\"RS256\"}", "\n\r\t { \t\r\n\"alg\":\"RS256\"}", "{}", "{ }",
        "\(String(repeating: " ", count: 9000)){\"",
    ])
    func whiteSpaceDoesNotMakeAJWSOpaque(header: String) {
        let segment = encoded(header)
        #expect(!isOpaque("\(segment).e30.c2ln"))
        #expect(!isOpaque("\(segment).."))
        #expect(isOpaque(segment))
        #expect(isOpaque("\(segment).e30"))
        #expect(isOpaque("\(segment).a.b.c.d"))
    }

    @Test(arguments: [
        "{", "{ ", "{{\"", "{a", "[\"", " \"", "\"{\"", "}", "{[", "", "   ", "\u{b}{\"", "\u{feff}{\"", "{\u{a0}\"",
    ])
    func tokenWithoutObjectHeaderIsOpaque(header: String) {
        #expect(isOpaque("\(encoded(header)).e30.c2ln"))
    }

    @Test(arguments: [
        "", "e", "ey", "eyJ", "2YotnFZFEjr1zCsicMWpAA", "eyJhbGciOiJIUzI1NiJ9.e30", "eyJhbGciOiJkaXIifQ..a.b.c",
        "a.b.c", "eyMx.a.b", "EyJhbGciOiJIUzI1NiJ9.e30.c2ln", "mF_9.B5f-4.1JqM", "..",
    ])
    func otherTokensAreOpaque(token: String) {
        #expect(isOpaque(token))
    }

    @Test(arguments: ["a", "2YotnFZFEjr1zCsicMWpAA", "a-._~+/z09", "AA==", "=".replacing("=", with: "a=")])
    func bearerTokensAreWellFormed(token: String) {
        #expect(isWellFormed(token))
    }

    @Test(arguments: ["", "=", "==", "a=b", "a b", "a\u{e9}", "a%20", "a&b", "a\"b", "a\r\nb", "a\0", "a,b", "a;b"])
    func otherTextsAreMalformed(token: String) {
        #expect(!isWellFormed(token))
    }

    @Test func opaqueTokenMayBeAsLongAsAJWS() {
        #expect(isWellFormed(String(repeating: "a", count: 16 << 10)))
        #expect(!isWellFormed(String(repeating: "a", count: (16 << 10) + 1)))
    }
}
