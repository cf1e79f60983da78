import Testing

@testable import Verification

@Suite struct PEMTests {
    @Test(arguments: [SignatureAlgorithm.rs256, .es256, .es384, .es512, .edDSA])
    func publicKeyInPEMVerifies(algorithm: SignatureAlgorithm) throws {
        let pem = try #require(try VerificationFixture.key(for: algorithm).publicKeyPEM)
        let keys = try KeySet(pem: Array(pem.utf8), algorithms: [algorithm])
        #expect(keys.keys[0].algorithms == [algorithm])
        _ = try JWS.verify(compact: Array(try VerificationFixture.token(algorithm).utf8), keys: keys)
    }

    @Test func olderRSAFormIsRead() throws {
        guard case .privateKey(_, .rsa(let modulus, let exponent)) = try VerificationFixture.rsa.get().material else {
            Issue.record("not an RSA key")
            return
        }
        let der = DER.sequence(DER.unsignedInteger(modulus) + DER.unsignedInteger(exponent))
        let keys = try KeySet(pem: Array(PEM.text(label: "RSA PUBLIC KEY", der).utf8))
        _ = try JWS.verify(compact: Array(try VerificationFixture.token(.ps512).utf8), keys: keys)
    }

    @Test func severalBlocksAreSeveralKeys() throws {
        let first = try #require(try VerificationFixture.p256.get().publicKeyPEM)
        let second = try #require(try VerificationFixture.p384.get().publicKeyPEM)
        let text = "first\r\n" + first.split(separator: "\n").joined(separator: "\r\n") + "\r\nsecond\n" + second
        #expect(try KeySet(pem: Array(text.utf8)).keys.map(\.curve) == ["P-256", "P-384"])
    }

    @Test func privateKeyIsNotUsedAsPublic() throws {
        let pem = try #require(try VerificationFixture.p256.get().privateKeyPEM)
        #expect(throws: KeySetError.privateKey) { try KeySet(pem: Array(pem.utf8)) }
    }

    @Test func brokenTextIsRefused() throws {
        let good = try #require(try VerificationFixture.p256.get().publicKeyPEM)
        let bad = [
            "", "text", good.replacing("-----END", with: "-----ENDE"), good.replacing("MF", with: "M?"),
            good.replacing("MF", with: "M-"), PEM.text(label: "PUBLIC KEY", [1, 2, 3]),
        ]
        for text in bad {
            #expect(throws: KeySetError.notPEM) { try KeySet(pem: Array(text.utf8)) }
        }
    }

    @Test func bytesAfterAKeyAreRefused() throws {
        guard case .privateKey(_, let key) = try VerificationFixture.p256.get().material else {
            Issue.record("not a private key")
            return
        }
        let text = PEM.text(label: "PUBLIC KEY", key.subjectPublicKeyInfo + [0])
        #expect(throws: KeySetError.notPEM) { try KeySet(pem: Array(text.utf8)) }
    }

    @Test func unsuitableAlgorithmIsReported() throws {
        let pem = Array(try #require(try VerificationFixture.p256.get().publicKeyPEM).utf8)
        #expect(throws: KeySetError.algorithmDoesNotFit(.hs256)) { try KeySet(pem: pem, algorithms: [.hs256]) }
        #expect(throws: KeySetError.algorithmDoesNotFit(.es384)) { try KeySet(pem: pem, algorithms: [.es384]) }
    }
}
