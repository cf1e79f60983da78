import Testing

@testable import Verification

@Suite struct RSASigningKeyTests {
    private static let algorithms: [SignatureAlgorithm] = [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]

    /// A private key as PKCS#8, and its public half.
    private func pair(_ kind: SigningKey.Kind) throws -> (pkcs8: [UInt8], publicKey: PublicKey) {
        guard case .privateKey(let pkcs8, let publicKey) = try SigningKey.generate(kind).material else {
            throw SigningError.unsupportedKey
        }
        return (pkcs8, publicKey)
    }

    private func isValid(_ signature: [UInt8]?, of input: [UInt8], _ key: PublicKey, _ algorithm: SignatureAlgorithm)
        -> Bool
    {
        guard let signature else { return false }
        let context = DigestSignatureContext(
            OpenSSLKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo),
            algorithm,
            signatureLength: signature.count
        )
        return context?.isValid(signature, over: input.span) == true
    }

    @Test(arguments: [2048, 3072]) func everyAlgorithmOfRSAIsSigned(bits: Int) throws {
        let (pkcs8, publicKey) = try pair(.rsa(bits: bits))
        let key = try #require(RSASigningKey(der: pkcs8))
        for algorithm in Self.algorithms {
            let signature = key.signature(over: [1, 2, 3], algorithm)
            #expect(signature?.count == bits / 8)
            #expect(isValid(signature, of: [1, 2, 3], publicKey, algorithm), "\(algorithm)")
            #expect(!isValid(signature, of: [1, 2, 4], publicKey, algorithm), "\(algorithm)")
        }
    }

    @Test func algorithmOfAnotherKindOfKeyIsNotSigned() throws {
        let key = try #require(RSASigningKey(der: pair(.rsa(bits: 2048)).pkcs8))
        for algorithm in SignatureAlgorithm.allCases where !Self.algorithms.contains(algorithm) {
            #expect(key.signature(over: [1], algorithm) == nil, "\(algorithm)")
        }
    }

    @Test func otherKindsOfKeysAndMalformedBytesAreRefused() throws {
        #expect(RSASigningKey(der: try pair(.p256).pkcs8) == nil)
        #expect(RSASigningKey(der: try pair(.ed25519).pkcs8) == nil)
        let good = try pair(.rsa(bits: 2048)).pkcs8
        for bytes in [[], [0x30, 0x00], Array(good.dropLast()), good + [0]] {
            #expect(RSASigningKey(der: bytes) == nil)
        }
    }

    @Test func oneKeySignsOnSeveralThreadsAtOnce() async throws {
        let (pkcs8, publicKey) = try pair(.rsa(bits: 2048))
        let key = try #require(RSASigningKey(der: pkcs8))
        let signatures = await withTaskGroup(of: [(input: [UInt8], signature: [UInt8]?)].self) { group in
            for task in UInt8(0)..<4 {
                group.addTask {
                    (UInt8(0)..<50).map { number in ([task, number], key.signature(over: [task, number], .ps256)) }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(signatures.count == 200)
        #expect(signatures.allSatisfy { isValid($0.signature, of: $0.input, publicKey, .ps256) })
    }

    @Test func descriptionShowsNothing() throws {
        let key = try #require(RSASigningKey(der: pair(.rsa(bits: 2048)).pkcs8))
        #expect("\(key)" == "RSA signing key")
        #expect(Mirror(reflecting: key).children.isEmpty)
    }
}
