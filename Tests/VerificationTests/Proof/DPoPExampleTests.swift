import Testing
import Time
import Verification

/// The examples of RFC 9449, to the letter.
struct DPoPExampleTests {
    private static let header = """
        eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscE\
        JoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19
        """
    /// Section 4.1.
    private static let tokenRequest =
        header + "."
            + """
            eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0\
            IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg
            """
    /// Section 7.1.
    private static let resourceRequest =
        header + "."
            + """
            eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRy\
            ZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9.2oW9RP3\
            5yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA
            """
    private static let accessToken = Array("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU".utf8)
    /// Section 6.1.
    private static let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

    @Test func exampleProofOfATokenRequest() throws {
        let proof = try Proofs.parse(Self.tokenRequest)
        #expect(Base64URL.encode(proof.keyThumbprint) == Self.thumbprint)
        #expect(proof.id == "-BwC3ESc6acc2lTc")
        #expect(proof.method == "POST")
        #expect(proof.target == "https://server.example.com/token")
        #expect(proof.issuedAt == 1_562_262_616)
        #expect(proof.accessTokenHash == nil)
        #expect(proof.nonce == nil)
        #expect(proof.algorithm == .es256)
        try proof.verifySignature()
        let expectation = DPoPExpectation(
            method: "POST",
            target: "https://server.example.com/token",
            algorithms: [.es256],
            maxAge: 60
        )
        try proof.check(expectation, at: 1_562_262_620)
    }

    @Test func exampleProofOfAResourceRequest() throws {
        let proof = try Proofs.parse(Self.resourceRequest)
        #expect(proof.accessTokenHash.map(Base64URL.encode) == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
        try proof.verifySignature()
        var expectation = DPoPExpectation(
            method: "GET",
            target: "https://resource.example.org/protectedresource?page=2",
            algorithms: [.es256],
            maxAge: 60,
            accessToken: Self.accessToken,
            keyThumbprint: Base64URL.decode(Self.thumbprint)
        )
        try proof.check(expectation, at: 1_562_262_618)
        expectation.accessToken?.append(0)
        #expect(throws: DPoPFailure.wrongToken) { try proof.check(expectation, at: 1_562_262_618) }
    }

    /// Section 7.1: what the request's proof is bound to is what its token says.
    @Test func exampleConfirmation() throws {
        let claims: JSONObject = ["sub": "someone@example.com", "cnf": ["jkt": .string(Self.thumbprint)]]
        let confirmation = try #require(Confirmation(claims))
        #expect(confirmation.keyThumbprint == Base64URL.decode(Self.thumbprint))
        #expect(confirmation.certificateThumbprint == nil)
        #expect(!confirmation.hasUnknown)
    }

    @Test func changedSignatureIsRefused() throws {
        let text = Self.resourceRequest.replacing("2oW9RP3", with: "2oW9RP4")
        let proof = try Proofs.parse(text)
        #expect(throws: DPoPFailure.badSignature) { try proof.verifySignature() }
    }

    /// RFC 7638 section 3.1 and RFC 8037 appendix A.3.
    @Test func thumbprintsOfOtherKindsOfKeys() throws {
        let rsa: JSONObject = [
            "kty": "RSA", "e": "AQAB", "alg": "RS256", "kid": "2011-04-29",
            "n": """
            0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjh\
            Mstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvR\
            L5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqD\
            Kgw
            """,
        ]
        let okp: JSONObject = ["kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"]
        for (jwk, algorithm, thumbprint) in [
            (rsa, "RS256", "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"),
            (okp, "EdDSA", "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"),
        ] {
            let header: JSONObject = ["typ": "dpop+jwt", "alg": .string(algorithm), "jwk": .object(jwk)]
            let text =
                Base64URL.encode(JSONWriter.bytes(of: header)) + "."
                + Base64URL.encode(JSONWriter.bytes(of: Proofs.claims)) + ".AAAA"
            let proof = try Proofs.parse(text)
            #expect(Base64URL.encode(proof.keyThumbprint) == thumbprint)
            #expect(throws: DPoPFailure.badSignature) { try proof.verifySignature() }
        }
    }
}
