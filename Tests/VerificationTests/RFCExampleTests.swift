import Testing
import Verification

@Suite struct RFCExampleTests {
    @Test(arguments: RFCExample.all)
    func signedExamplesVerify(example: RFCExample) throws {
        let keys = try KeySet(jwks: Array(example.jwk.utf8))
        let (_, payload) = try JWS.verify(compact: Array(example.token.utf8), keys: keys)
        #expect(!payload.isEmpty)
    }

    @Test func unsecuredExampleOfRFC7519IsRefused() throws {
        let token = """
            eyJhbGciOiJub25lIn0.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS\
            9pc19yb290Ijp0cnVlfQ.
            """
        #expect(try VerificationFixture.refusal(of: token)?.reason == .malformed)
        #expect(try VerificationFixture.refusal(of: token + "AA")?.reason == .unsupportedAlgorithm)
    }

    @Test func thumbprintsOfTheRFCs() throws {
        // RFC 8037 appendix A.3
        let key = try #require(Base64URL.decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
        let members: JSONObject = ["crv": "Ed25519", "kty": "OKP", "x": .string(Base64URL.encode(key))]
        let digest = SHA256.digest(JSONWriter.bytes(of: members, order: .sorted))
        #expect(Base64URL.encode(digest) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }

    @Test func sha256OfThePublishedExample() {
        let expected: [UInt8] = [
            0xBA, 0x78, 0x16, 0xBF, 0x8F, 0x01, 0xCF, 0xEA, 0x41, 0x41, 0x40, 0xDE, 0x5D, 0xAE, 0x22, 0x23, 0xB0, 0x03,
            0x61, 0xA3, 0x96, 0x17, 0x7A, 0x9C, 0xB4, 0x10, 0xFF, 0x61, 0xF2, 0x00, 0x15, 0xAD,
        ]
        #expect(ConstantTime.areEqual(SHA256.digest(Array("abc".utf8)), expected))
        #expect(!ConstantTime.areEqual(expected, Array(expected.dropLast())))
        #expect(!ConstantTime.areEqual(expected, expected.reversed()))
    }
}
