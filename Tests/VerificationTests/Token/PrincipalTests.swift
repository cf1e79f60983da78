import Testing
import Verification

@Suite struct PrincipalTests {
    private func principal(_ changes: KeyValuePairs<String, JSONValue?> = [:]) throws -> Principal {
        let token = try VerificationFixture.token(changing: changes)
        return try VerificationFixture.verifier(audiences: []).verify(Array(token.utf8), at: VerificationFixture.now)
    }

    @Test func principalHasTheTokensClaims() throws {
        let principal = try principal()
        #expect(principal.issuer == VerificationFixture.issuer)
        #expect(principal.subject == "alice")
        #expect(principal.audiences == ["the-app"])
        #expect(principal.expiresAt == 1_800_000_600)
        #expect(principal.issuedAt == 1_799_999_000)
        #expect(principal.notBefore == nil)
        #expect(principal.tokenID == "token-1")
        #expect(principal.sessionID == "session-1")
        #expect(principal.algorithm == .hs256)
        #expect(principal.keyID == nil)
    }

    @Test func rolesAreStringsOrArrays() throws {
        #expect(try principal().roles == ["customer"])
        #expect(try principal(["role": ["a", "b"]]).roles == ["a", "b"])
        #expect(try principal(["roles": ["admin"]]).roles == ["customer", "admin"])
        #expect(try principal(["role": ["a", 7]]).roles.isEmpty)
        #expect(try principal(["role": "two words"]).roles == ["two words"])
    }

    @Test func scopesAreSplitAtSpacesOrArrays() throws {
        #expect(try principal().scopes == ["read", "write"])
        #expect(try principal(["scope": " a  b "]).scopes == ["a", "b"])
        #expect(try principal(["scope": ["a", "b c"]]).scopes == ["a", "b c"])
        #expect(try principal(["scope": 7]).scopes.isEmpty)
    }

    @Test func claimsBecomeHeaderValues() throws {
        let principal = try principal([
            "n": .number(try #require(JSONNumber(1.5))), "t": true, "list": ["a", 2, false], "z": nil,
            "user": ["name": "Zo\u{EB}", "at": ["home": "x"]], "https://example.com/role": "r", "a.b": "dotted",
        ])
        #expect(principal.claimText("sub") == "alice")
        #expect(principal.claimText("exp") == "1800000600")
        #expect(principal.claimText("n") == "1.5")
        #expect(principal.claimText("t") == "true")
        #expect(principal.claimText("list") == "a,2,false")
        #expect(principal.claimText("user.name") == "Zo\u{EB}")
        #expect(principal.claimText("user.at.home") == "x")
        #expect(principal.claimText("https://example.com/role") == "r")
        #expect(principal.claimText("a.b") == "dotted")
        for missing in ["none", "user", "user.none", "z", "sub.x", "", ".", "user."] {
            #expect(principal.claimText(missing) == nil)
        }
    }

    @Test(arguments: ["a\r\nX-Role: admin", "a\nb", "\0", "a\tb", "a\u{7F}", " a", "a "])
    func valuesInvalidInAHeaderAreNil(text: String) throws {
        let principal = try principal(["x": .string(text), "list": ["ok", .string(text)]])
        #expect(principal.claimText("x") == nil)
        #expect(principal.claimText("list") == nil)
    }

    @Test func commaInAnElementDoesNotSplitIt() throws {
        #expect(try principal(["list": ["user,admin"]]).claimText("list") == nil)
        #expect(try principal(["list": [["a"]]]).claimText("list") == nil)
    }
}
