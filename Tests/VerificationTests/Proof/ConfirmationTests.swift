import Testing
import Verification

/// What a token says it is bound to (RFC 7800 section 3.1, RFC 9449 section 6.1, RFC 8705 section 3.1).
struct ConfirmationTests {
    private static let digest = [UInt8](repeating: 1, count: 32)
    private static let text = Base64URL.encode(digest)

    @Test func plainTokenHasNoConfirmation() {
        #expect(Confirmation(["sub": "alice"]) == nil)
    }

    @Test func bothKindsOfConfirmationAreRead() {
        let cnf: JSONValue = ["jkt": .string(Self.text), "x5t#S256": .string(Self.text)]
        let both = Confirmation(keyThumbprint: Self.digest, certificateThumbprint: Self.digest)
        #expect(Confirmation(["cnf": cnf]) == both)
    }

    @Test(
        arguments: [
            .null, "x", [:], [], ["jwk": [:]], ["kid": "x"], ["jkt": "short"], ["jkt": 1], ["x5t#S256": .null],
            ["jkt": .string(text), "jwe": "x"], ["jkt": .string(text + "=")], ["JKT": .string(text)],
        ] as [JSONValue]
    )
    func unknownConfirmationIsReported(cnf: JSONValue) throws {
        let confirmation = try #require(Confirmation(["cnf": cnf]))
        #expect(confirmation.hasUnknown)
    }
}
