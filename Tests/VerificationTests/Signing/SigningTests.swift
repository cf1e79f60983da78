import Testing
import Verification

@Suite struct SigningTests {
    @Test(arguments: [SigningKey.Kind.rsa(bits: 2048), .p256, .p384, .p521, .ed25519])
    func generatedKeyIsReadBackFromPEM(kind: SigningKey.Kind) throws {
        let key = try SigningKey.generate(kind)
        let pem = try #require(key.privateKeyPEM)
        #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(pem.split(separator: "\n").allSatisfy { $0.utf8.count <= 64 })
        let again = try SigningKey(pem: Array(pem.utf8))
        #expect(again.privateKeyPEM == pem)
        #expect(again.publicJWK() == key.publicJWK())
        let algorithm = try #require(key.algorithms.first)
        let token = try TokenSigner(again, algorithm: algorithm, keyID: key.thumbprint).sign(["sub": "x"])
        let keys = try KeySet(jwk: try #require(key.publicJWK(algorithm: algorithm)))
        let (header, _) = try JWS.verify(compact: Array(token.utf8), keys: keys)
        #expect(header["kid"]?.string == key.thumbprint)
    }

    @Test func publicJWKHasNoPrivateMembers() throws {
        for algorithm in [SignatureAlgorithm.rs256, .es256, .edDSA] {
            let jwk = try #require(try VerificationFixture.key(for: algorithm).publicJWK(algorithm: algorithm))
            let allowed = ["kty", "n", "e", "crv", "x", "y", "use", "kid", "alg"]
            #expect(jwk.members.allSatisfy { allowed.contains($0.name) })
            #expect(jwk["kid"]?.string?.utf8.count == 43)
        }
        #expect(SigningKey(secret: VerificationFixture.secret).publicJWK() == nil)
        #expect(SigningKey(secret: VerificationFixture.secret).privateKeyPEM == nil)
    }

    @Test func weakOrUnfitKeysDoNotSign() throws {
        #expect(throws: SigningError.weakKey) { try SigningKey.generate(.rsa(bits: 1024)) }
        let short = SigningKey(secret: Array(VerificationFixture.secret.prefix(47)))
        #expect(throws: SigningError.algorithmDoesNotFit(.hs384)) { try TokenSigner(short, algorithm: .hs384) }
        let key = try VerificationFixture.p256.get()
        #expect(throws: SigningError.algorithmDoesNotFit(.es384)) { try TokenSigner(key, algorithm: .es384) }
        #expect(throws: SigningError.algorithmDoesNotFit(.hs256)) { try TokenSigner(key, algorithm: .hs256) }
    }

    @Test func malformedPrivateKeyIsRefused() throws {
        let publicPEM = try #require(try VerificationFixture.p256.get().publicKeyPEM)
        for text in ["", "text", publicPEM, publicPEM.replacing("PUBLIC", with: "PRIVATE")] {
            #expect(throws: SigningError.notAPrivateKey) { try SigningKey(pem: Array(text.utf8)) }
        }
    }

    @Test func signerSetsAlgorithmAndKeyID() throws {
        let signer = try TokenSigner(SigningKey(secret: VerificationFixture.secret), algorithm: .hs256, keyID: "mine")
        let token = try signer.sign(
            VerificationFixture.claims,
            header: ["alg": "none", "kid": "other", "typ": "at+jwt"]
        )
        let header = try UnverifiedToken(Array(token.utf8)).header
        #expect(header == ["alg": "HS256", "typ": "at+jwt", "kid": "mine"])
    }
}
