import Testing

@testable import IdentityProvider

struct CodeVerifierTests {
    /// RFC 7636 appendix B.
    @Test func challengeMatchesRFC7636Example() {
        #expect(CodeVerifier.challenge(of: IssuerFixture.verifier) == IssuerFixture.challenge)
        #expect(CodeVerifier.matches(IssuerFixture.verifier, challenge: IssuerFixture.challenge))
    }

    @Test(arguments: ["dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXK", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", ""])
    func otherVerifierDoesNotMatch(_ verifier: String) {
        #expect(!CodeVerifier.matches(verifier, challenge: IssuerFixture.challenge))
    }

    /// As if `plain` were meant, which is not supported.
    @Test func challengeIsNotAcceptedAsVerifier() {
        #expect(!CodeVerifier.matches(IssuerFixture.verifier, challenge: IssuerFixture.verifier))
        #expect(!CodeVerifier.matches(IssuerFixture.verifier, challenge: ""))
    }

    @Test(arguments: [
        (String(repeating: "a", count: 42), false), (String(repeating: "a", count: 43), true),
        (String(repeating: "~", count: 128), true), (String(repeating: "a", count: 129), false),
        (String(repeating: "a", count: 42) + "+", false), (String(repeating: "a", count: 42) + "=", false),
        (String(repeating: "a", count: 43) + "é", false), (String(repeating: "a", count: 43) + "\n", false),
        (String(repeating: "azAZ09-._~", count: 5), true),
    ])
    func verifierHas43To128UnreservedCharacters(_ verifier: String, _ isWellFormed: Bool) {
        #expect(CodeVerifier.isWellFormed(verifier) == isWellFormed)
    }
}
