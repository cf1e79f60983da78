import TestSupport
import Testing
import Verification

/// Private keys as JWK.
@Suite struct PrivateJSONWebKeyTests {
    private static let samples: [(String, SignatureAlgorithm)] = [
        (SamplePrivateKeys.ellipticCurve, .es256), (SamplePrivateKeys.ed25519, .edDSA), (SamplePrivateKeys.rsa, .rs256),
    ]

    private func key(_ text: String) throws -> SigningKey {
        try SigningKey(jwk: try #require(try JSONParser.parse(Array(text.utf8)).object))
    }

    /// Whether the public half verifies what the key signs.
    private func isWhole(_ key: SigningKey) throws -> Bool {
        let algorithm = try #require(key.algorithms.first)
        let token = try TokenSigner(key, algorithm: algorithm).sign(["sub": "x"])
        let keys = try KeySet(jwk: try #require(key.publicJWK()))
        return (try? JWS.verify(compact: Array(token.utf8), keys: keys)) != nil
    }

    @Test(arguments: samples)
    func keyOfTheStandardSigns(_ text: String, _ algorithm: SignatureAlgorithm) throws {
        let key = try key(text)
        #expect(key.algorithms.contains(algorithm))
        #expect(try isWhole(key))
        let members = try #require(try JSONParser.parse(Array(text.utf8)).object)
        for member in try #require(key.publicJWK()).members where !["use", "kid"].contains(member.name) {
            #expect(members[member.name] == member.value)
        }
        #expect("\(key)".contains("signing key"))
    }

    @Test func halvesOfTwoKeysAreRefused() throws {
        #expect(throws: SigningError.notAPrivateKey) {
            try key(SamplePrivateKeys.ellipticCurve.replacing("f83OJ3D2", with: "g83OJ3D2"))
        }
        #expect(throws: SigningError.notAPrivateKey) {
            try key(SamplePrivateKeys.ed25519.replacing("11qYAYKx", with: "21qYAYKx"))
        }
        // Another public exponent than that of the private one.
        #expect(throws: SigningError.notAPrivateKey) {
            try key(SamplePrivateKeys.rsa.replacing(#""e":"AQAB""#, with: #""e":"Aw""#))
        }
    }

    @Test(arguments: ["n", "e", "p", "q", "dp", "dq", "qi"])
    func incompleteRSAKeyIsRefused(_ member: String) {
        let text = SamplePrivateKeys.rsa.replacing("\"\(member)\":", with: "\"other\":")
        #expect(throws: SigningError.notAPrivateKey) { try key(text) }
    }

    @Test func keysThatCannotSignAreToldApart() throws {
        for (text, _) in Self.samples {
            #expect(throws: SigningError.publicKey) { try key(text.replacing("\"d\":", with: "\"other\":")) }
            #expect(throws: SigningError.notAPrivateKey) { try key(text.replacing("\"d\":\"", with: "\"d\":\"A")) }
        }
        for text in [#"{"kty":"oct","k":"AAAA"}"#, #"{"kty":"XYZ","d":"AA"}"#, "{}", #"{"kty":1}"#] {
            #expect(throws: SigningError.unsupportedKey) { try key(text) }
        }
        for curve in ["secp256k1", "X25519"] {
            #expect(throws: SigningError.unsupportedKey) {
                try key(SamplePrivateKeys.ellipticCurve.replacing("P-256", with: curve))
            }
            #expect(throws: SigningError.unsupportedKey) {
                try key(SamplePrivateKeys.ed25519.replacing("Ed25519", with: curve))
            }
        }
        #expect(throws: SigningError.unsupportedKey) {
            try key(SamplePrivateKeys.rsa.replacing(#""e":"#, with: #""oth":[],"e":"#))
        }
        let long = String(repeating: "A", count: 4096)
        #expect(throws: SigningError.weakKey) {
            try key(SamplePrivateKeys.rsa.replacing(#""n":""#, with: #""n":""# + long))
        }
    }

    /// Whatever is changed in a JWK: it is refused, or it signs what its public half verifies.
    @Test func changedKeysSignOrAreRefused() throws {
        let samples = Self.samples.map { Array($0.0.utf8) }
        var random = SplitMix64(seed: 17)
        for round in 0..<600 {
            var text = samples[round % samples.count]
            let place = Int.random(in: 0..<text.count, using: &random)
            switch round % 3 {
            case 0: text[place] = UInt8.random(in: 0x20...0x7e, using: &random)
            case 1: text.remove(at: place)
            default: text.insert(UInt8.random(in: 0x20...0x7e, using: &random), at: place)
            }
            guard let object = try? JSONParser.parse(text).object, let key = try? SigningKey(jwk: object) else {
                continue
            }
            #expect(try isWhole(key))
        }
    }

    @Test func everyKeyOfATextIsRead() throws {
        let (one, two) = (try SigningKey.generate(.p256), try SigningKey.generate(.rsa(bits: 2048)))
        let text = "first:\n\(try #require(one.privateKeyPEM))second:\n\(try #require(two.privateKeyPEM))"
        #expect(try SigningKey.all(pem: Array(text.utf8)).map(\.thumbprint) == [one.thumbprint, two.thumbprint])
        let publicPEM = try #require(one.publicKeyPEM)
        #expect(try SigningKey.all(pem: Array((publicPEM + text).utf8)).count == 2)
        #expect(throws: SigningError.publicKey) { try SigningKey.all(pem: Array(publicPEM.utf8)) }
        let encrypted = publicPEM.replacing("PUBLIC", with: "ENCRYPTED PRIVATE")
        #expect(throws: SigningError.encrypted) { try SigningKey.all(pem: Array(encrypted.utf8)) }
        for text in ["", "text", publicPEM.replacing("PUBLIC", with: "PRIVATE"), "-----BEGIN PRIVATE KEY-----"] {
            #expect(throws: SigningError.notAPrivateKey) { try SigningKey.all(pem: Array(text.utf8)) }
        }
    }
}
