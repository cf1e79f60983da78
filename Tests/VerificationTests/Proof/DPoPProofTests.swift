import Testing
import Verification

/// What a proof must be by itself (RFC 9449 section 4.3, checks 2 to 7).
struct DPoPProofTests {
    @Test(arguments: SignatureAlgorithm.allCases.filter { !$0.isSymmetric })
    func everyAsymmetricAlgorithmIsAccepted(algorithm: SignatureAlgorithm) throws {
        #expect(Proofs.refusal(of: try Proofs.text(algorithm)) == nil)
    }

    @Test(arguments: ["JWT", "dpop", "DPoP+JWT", "application/dpop+jwt", "dpop+jwt ", "at+jwt", ""])
    func otherTypeIsRefused(type: String) throws {
        #expect(Proofs.refusal(of: try Proofs.text(header: ["typ": .string(type)])) == .wrongType)
    }

    @Test func nonStringTypeIsRefused() throws {
        let refusal = Proofs.refusal(of: try Proofs.text(header: ["typ": 1]))
        guard case .malformed? = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
    }

    @Test func symmetricAlgorithmIsRefused() throws {
        let jwk: JSONValue = ["kty": "oct", "k": .string(Base64URL.encode(VerificationFixture.secret))]
        let signer = try TokenSigner(SigningKey(secret: VerificationFixture.secret), algorithm: .hs256)
        let text = try signer.sign(Proofs.claims, header: ["typ": "dpop+jwt", "jwk": jwk])
        #expect(Proofs.refusal(of: text) == .symmetricAlgorithm)
    }

    @Test(arguments: ["none", "None", "ES256K", "es256", ""])
    func unknownAlgorithmIsRefused(name: String) throws {
        let jwk = try #require(try VerificationFixture.key(for: .es256).publicJWK())
        let header: JSONObject = ["typ": "dpop+jwt", "alg": .string(name), "jwk": .object(jwk)]
        let text =
            Base64URL.encode(JSONWriter.bytes(of: header)) + "."
            + Base64URL.encode(JSONWriter.bytes(of: Proofs.claims)) + ".AAAA"
        let refusal = try #require(Proofs.refusal(of: text))
        #expect(refusal.summary == "the DPoP proof's algorithm is not supported")
    }

    @Test(arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
    func privateKeyIsRefused(name: String) throws {
        var jwk = try #require(try VerificationFixture.key(for: .es256).publicJWK())
        jwk[name] = "AAAA"
        #expect(Proofs.refusal(of: try Proofs.text(header: ["jwk": .object(jwk)])) == .privateKey)
    }

    @Test func malformedKeyIsRefused() throws {
        for value in [JSONValue.string("key"), nil, [:], ["kty": "EC"], ["kty": "AKP"]] as [JSONValue?] {
            let expected: DPoPFailure = value == nil ? .missingKey : .badKey
            var header: JSONObject = ["typ": "dpop+jwt"]
            header["jwk"] = value
            let text = try TokenSigner(VerificationFixture.key(for: .es256), algorithm: .es256).sign(
                Proofs.claims,
                header: header
            )
            #expect(Proofs.refusal(of: text) == expected)
        }
    }

    @Test func pointOffTheCurveIsRefused() throws {
        var jwk = try #require(try VerificationFixture.key(for: .es256).publicJWK())
        jwk["y"] = .string(Base64URL.encode([UInt8](repeating: 7, count: 32)))
        #expect(Proofs.refusal(of: try Proofs.text(header: ["jwk": .object(jwk)])) == .badKey)
    }

    @Test func otherKeyIsRefused() throws {
        let other = try #require(try SigningKey.generate(.p256).publicJWK())
        #expect(Proofs.refusal(of: try Proofs.text(header: ["jwk": .object(other)])) == .badSignature)
    }

    @Test func otherKindOfKeyIsRefused() throws {
        let other = try #require(try VerificationFixture.key(for: .edDSA).publicJWK())
        #expect(Proofs.refusal(of: try Proofs.text(header: ["jwk": .object(other)])) == .algorithmDoesNotFitKey)
        var bound = try #require(try VerificationFixture.key(for: .es256).publicJWK())
        bound["alg"] = "ES384"
        #expect(Proofs.refusal(of: try Proofs.text(header: ["jwk": .object(bound)])) == .badKey)
        bound["alg"] = nil
        bound["use"] = "enc"
        #expect(Proofs.refusal(of: try Proofs.text(header: ["jwk": .object(bound)])) == .badKey)
    }

    @Test func criticalExtensionsAreRefused() throws {
        let critical = try #require(Proofs.refusal(of: try Proofs.text(header: ["crit": ["exp"]])))
        #expect(critical.summary == "the DPoP proof demands an extension (crit) that is not understood")
        let unencoded = try #require(Proofs.refusal(of: try Proofs.text(header: ["b64": false])))
        #expect(unencoded.summary == "the DPoP proof uses the b64 extension, which is not accepted")
    }

    @Test(arguments: ["jti", "htm", "htu", "iat"])
    func missingClaimIsRefused(name: String) throws {
        #expect(Proofs.refusal(of: try Proofs.text(changing: [name: nil])) == .missingClaim(name))
    }

    @Test(arguments: ["jti", "htm", "htu", "iat", "ath", "nonce", "exp", "nbf"])
    func claimOfAnotherTypeIsRefused(name: String) throws {
        let refusal = try #require(Proofs.refusal(of: try Proofs.text(changing: [name: ["a"]])))
        #expect(refusal.summary == "the DPoP proof's \(name) is not of the form that it must have")
    }

    @Test func identifiersAreBounded() throws {
        let longest = String(repeating: "é", count: 128)
        #expect(Proofs.refusal(of: try Proofs.text(changing: ["jti": .string(longest)])) == nil)
        #expect(Proofs.refusal(of: try Proofs.text(changing: ["jti": .string(longest + "x")])) == .badClaim("jti"))
        #expect(Proofs.refusal(of: try Proofs.text(changing: ["jti": ""])) == .missingClaim("jti"))
        #expect(Proofs.refusal(of: try Proofs.text(changing: ["nonce": .string(longest)])) == nil)
        #expect(Proofs.refusal(of: try Proofs.text(changing: ["nonce": .string(longest + "x")])) == .badClaim("nonce"))
    }

    @Test(arguments: ["AAAA", "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo=", "", "*"])
    func malformedTokenHashIsRefused(text: String) throws {
        #expect(Proofs.refusal(of: try Proofs.text(changing: ["ath": .string(text)])) == .badClaim("ath"))
    }

    @Test func proofLengthIsBounded() throws {
        let text = try Proofs.text(changing: ["pad": .string(String(repeating: "x", count: DPoPProof.maximumLength))])
        #expect(Proofs.refusal(of: text) == .tooLong)
        #expect(Proofs.refusal(of: "") == Proofs.refusal(of: "."))
    }

    @Test func twoProofsInOneFieldAreRefused() throws {
        let text = try Proofs.text()
        let refusal = try #require(Proofs.refusal(of: text + ", " + text))
        #expect(refusal.summary == "the DPoP proof is not a strict JWS with a claims set")
    }

    /// What is said of a failure may stand between the quotes of a field.
    @Test func summariesAreFitForAField() {
        let failures: [DPoPFailure] = [
            .tooLong, .wrongType, .symmetricAlgorithm, .algorithmNotAllowed, .missingKey, .badKey, .privateKey,
            .algorithmDoesNotFitKey, .missingClaim("jti"), .badClaim("ath"), .wrongMethod, .wrongTarget, .tooOld,
            .issuedInFuture, .wrongToken, .wrongKey, .badSignature,
        ]
        for failure in failures {
            #expect(failure.summary.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
            #expect(failure.description == failure.summary)
        }
    }
}
