import TestSupport
import Testing
import Verification

@Suite struct SignatureTests {
    @Test(arguments: SignatureAlgorithm.allCases)
    func everyAlgorithmVerifiesAgainAndAgain(algorithm: SignatureAlgorithm) throws {
        let verifier = try VerificationFixture.verifier(algorithm)
        let good = Array(try VerificationFixture.token(algorithm).utf8)
        let forged = try VerificationFixture.token(algorithm, changing: ["sub": "mallory"])
        let parts = forged.split(separator: ".")
        let mixed =
            "\(parts[0]).\(parts[1])." + (String(decoding: good, as: UTF8.self).split(separator: ".").last ?? "")
        for _ in 0..<3 {
            #expect(try verifier.verify(good, at: VerificationFixture.now).subject == "alice")
            #expect(try VerificationFixture.refusal(of: mixed, by: verifier)?.reason == .badSignature)
        }
    }

    @Test(arguments: [SignatureAlgorithm.hs256, .rs256, .ps256, .es256, .edDSA])
    func changedByteIsRefused(algorithm: SignatureAlgorithm) throws {
        let verifier = try VerificationFixture.verifier(algorithm)
        let good = Array(try VerificationFixture.token(algorithm).utf8)
        for index in good.indices {
            var changed = good
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: VerificationFailure.self) { try verifier.verify(changed, at: VerificationFixture.now) }
            changed[index] = good[index] ^ 1
            #expect(throws: VerificationFailure.self) { try verifier.verify(changed, at: VerificationFixture.now) }
        }
    }

    @Test(arguments: [SignatureAlgorithm.hs256, .rs256, .ps256, .es256, .es512, .edDSA])
    func signatureHasOneLength(algorithm: SignatureAlgorithm) throws {
        let token = try VerificationFixture.token(algorithm)
        let dot = try #require(token.lastIndex(of: "."))
        let input = token[...dot]
        let signature = try #require(Base64URL.decode(String(token[token.index(after: dot)...])))
        let verifier = try VerificationFixture.verifier(algorithm)
        let others: [[UInt8]] = [
            signature + [0], [0] + signature, Array(signature.dropLast()), Array(signature.dropFirst()), [0],
            Array(repeating: 0, count: signature.count), Array(repeating: 0xFF, count: signature.count),
        ]
        for other in others where other != signature {
            let reason = try VerificationFixture.refusal(of: input + Base64URL.encode(other), by: verifier)?.reason
            #expect(reason == .badSignature)
        }
        #expect(try VerificationFixture.refusal(of: String(input), by: verifier)?.reason == .malformed)
    }

    @Test func signatureInDERIsRefused() throws {
        let token = try VerificationFixture.token(.es256)
        let dot = try #require(token.lastIndex(of: "."))
        let raw = try #require(Base64URL.decode(String(token[token.index(after: dot)...])))
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] { [0x02, 0x21, 0x00] + bytes }
        let der = [0x30, 0x46] + integer(raw[..<32]) + integer(raw[32...])
        let refusal = try VerificationFixture.refusal(
            of: token[...dot] + Base64URL.encode(der),
            by: VerificationFixture.verifier(.es256)
        )
        #expect(refusal?.reason == .badSignature)
    }

    @Test func publicKeyIsNotUsedAsSecret() throws {
        for algorithm in [SignatureAlgorithm.rs256, .es256, .edDSA] {
            let key = try VerificationFixture.key(for: algorithm)
            let pem = try #require(key.publicKeyPEM)
            let jwk = JSONWriter.bytes(of: try #require(key.publicJWK(algorithm: algorithm)))
            for secret in [Array(pem.utf8), Array(pem.utf8.dropLast()), jwk] {
                let token = try TokenSigner(SigningKey(secret: secret), algorithm: .hs256).sign(
                    VerificationFixture.claims
                )
                let keys = try VerificationFixture.keySet(for: algorithm)
                let policy = IssuerPolicy(
                    issuer: VerificationFixture.issuer,
                    algorithms: [.hs256, algorithm],
                    keys: keys
                )
                let verifier = TokenVerifier(VerificationPolicy(issuers: [policy]))
                #expect(try VerificationFixture.refusal(of: token, by: verifier)?.reason == .noFittingKey)
            }
        }
    }

    @Test func issuersAlgorithmsAreBinding() throws {
        let keys = try KeySet(jwk: try #require(try VerificationFixture.rsa.get().publicJWK()))
        let policy = IssuerPolicy(issuer: VerificationFixture.issuer, algorithms: [.rs256, .ps384], keys: keys)
        let verifier = TokenVerifier(VerificationPolicy(issuers: [policy]))
        #expect(try VerificationFixture.refusal(of: VerificationFixture.token(.rs256), by: verifier) == nil)
        #expect(try VerificationFixture.refusal(of: VerificationFixture.token(.ps384), by: verifier) == nil)
        #expect(
            try VerificationFixture.refusal(of: VerificationFixture.token(.rs384), by: verifier)?.reason
                == .algorithmNotAllowed
        )
        #expect(
            try VerificationFixture.refusal(of: VerificationFixture.token(.ps256), by: verifier)?.reason
                == .algorithmNotAllowed
        )
    }

    @Test func keysAlgorithmIsBinding() throws {
        let keys = try KeySet(jwk: try #require(try VerificationFixture.rsa.get().publicJWK(algorithm: .ps256)))
        let token = Array(try VerificationFixture.token(.rs256).utf8)
        #expect(throws: VerificationFailure.self) { try JWS.verify(compact: token, keys: keys) }
        _ = try JWS.verify(compact: Array(try VerificationFixture.token(.ps256).utf8), keys: keys)
    }

    @Test func signatureLayerAcceptsAnyPayload() throws {
        let signer = try TokenSigner(VerificationFixture.key(for: .es384), algorithm: .es384)
        let keys = try VerificationFixture.keySet(for: .es384)
        for payload: [UInt8] in [[], [0xFF, 0x00], Array("text".utf8)] {
            let token = Array(try signer.sign(payload: payload).utf8)
            #expect(try JWS.verify(compact: token, keys: keys).payload == payload)
            #expect(throws: VerificationFailure.self) {
                try JWS.verify(compact: token, keys: keys, algorithms: [.es256])
            }
        }
    }

    @Test func summariesNeverQuoteTheToken() throws {
        let header: JSONObject = ["kid": "PEEK-1", "typ": "PEEK-2+jwt"]
        let refusal = try #require(
            try VerificationFixture.refusal(of: VerificationFixture.token(header: header, changing: ["iss": "PEEK-3"]))
        )
        #expect(!refusal.summary.contains("PEEK"))
        #expect(!"\(refusal)".contains("PEEK"))
    }
}
