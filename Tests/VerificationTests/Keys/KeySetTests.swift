import TestSupport
import Testing

@testable import Verification

@Suite struct KeySetTests {
    private func problem(_ jwk: JSONObject, origin: KeySet.Origin = .file) -> KeyProblem? {
        do throws(KeySetError) {
            _ = try KeySet(jwk: jwk, origin: origin)
            return nil
        } catch {
            if case .noUsableKey(let problem?) = error { return problem }
            return nil
        }
    }

    private func jwk(
        _ algorithm: SignatureAlgorithm,
        _ changes: KeyValuePairs<String, JSONValue?> = [:]
    ) throws -> JSONObject {
        var jwk = try #require(try VerificationFixture.key(for: algorithm).publicJWK())
        for (name, value) in changes { jwk[name] = value }
        return jwk
    }

    private func secretJWK(bytes: Int, _ algorithm: JSONValue? = nil) -> JSONObject {
        var jwk: JSONObject = ["kty": "oct", "k": .string(Base64URL.encode(Array(repeating: 1, count: bytes)))]
        jwk["alg"] = algorithm
        return jwk
    }

    @Test func keyAllowsTheAlgorithmsOfItsKind() throws {
        #expect(try KeySet(jwk: jwk(.rs256)).keys[0].algorithms == [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512])
        #expect(try KeySet(jwk: jwk(.es384)).keys[0].algorithms == [.es384])
        #expect(try KeySet(jwk: jwk(.edDSA)).keys[0].algorithms == [.edDSA])
        #expect(try KeySet(secret: Array(repeating: 1, count: 48)).keys[0].algorithms == [.hs256, .hs384])
    }

    @Test func declaredAlgorithmIsTheOnlyOne() throws {
        #expect(try KeySet(jwk: jwk(.rs256, ["alg": "PS384"])).keys[0].algorithms == [.ps384])
        #expect(problem(try jwk(.rs256, ["alg": "ES256"])) == .algorithmDoesNotFit)
        #expect(problem(try jwk(.es256, ["alg": "ES512"])) == .algorithmDoesNotFit)
        #expect(problem(try jwk(.es256, ["alg": "ES521"])) == .unknownAlgorithm)
        #expect(problem(try jwk(.rs256, ["alg": "none"])) == .unknownAlgorithm)
    }

    @Test func keyForAnotherUseIsRefused() throws {
        #expect(problem(try jwk(.es256, ["use": "enc"])) == .notForVerification)
        #expect(problem(try jwk(.es256, ["key_ops": ["encrypt"]])) == .notForVerification)
        #expect(problem(try jwk(.es256, ["key_ops": ["sign"]])) == .notForVerification)
        #expect(problem(try jwk(.es256, ["key_ops": "verify"])) == .badMember("key_ops"))
        #expect(problem(try jwk(.es256, ["key_ops": ["verify"]])) == nil)
    }

    @Test func shortSecretsAreRefused() throws {
        #expect(problem(secretJWK(bytes: 31)) == .secretTooShort(bytes: 31))
        #expect(problem(secretJWK(bytes: 0)) == .secretTooShort(bytes: 0))
        #expect(problem(secretJWK(bytes: 47, "HS384")) == .secretTooShort(bytes: 47))
        #expect(problem(secretJWK(bytes: 63, "HS512")) == .secretTooShort(bytes: 63))
        #expect(problem(secretJWK(bytes: 64, "HS512")) == nil)
        let long = Array(repeating: UInt8(1), count: 47)
        #expect(throws: KeySetError.noUsableKey(.secretTooShort(bytes: 47))) {
            try KeySet(secret: long, algorithms: [.hs256, .hs384])
        }
        #expect(throws: KeySetError.algorithmDoesNotFit(.rs256)) { try KeySet(secret: long, algorithms: [.rs256]) }
    }

    @Test func rsaKeysOfBadSizesAreRefused() throws {
        func key(bytes: Int, exponent: [UInt8] = [1, 0, 1]) -> JSONObject {
            var random = SplitMix64(seed: 8)
            let modulus = [0xC1] + random.bytes(bytes - 2) + [0x8F]
            return ["kty": "RSA", "n": .string(Base64URL.encode(modulus)), "e": .string(Base64URL.encode(exponent))]
        }
        #expect(problem(key(bytes: 128)) == .modulusTooShort(bits: 1024))
        #expect(problem(key(bytes: 255)) == .modulusTooShort(bits: 2040))
        #expect(problem(key(bytes: 2049)) == .modulusTooLong(bits: 16392))
        #expect(problem(key(bytes: 256)) == nil)
        for exponent: [UInt8] in [[1], [0], [], [2], [1, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0, 1]] {
            #expect(problem(key(bytes: 256, exponent: exponent)) == .badRSAParameters)
        }
    }

    @Test func evenModulusIsRefused() throws {
        #expect(
            RSAModulus.problem(modulus: [0xC0] + Array(repeating: 0, count: 255), exponent: [3]) == .badRSAParameters
        )
    }

    @Test func modulusWithROCAFingerprintIsRefused() throws {
        // k * M + 65537 with M the product of the primes from 3 to 167: a power of 65537 modulo each of them.
        let tail: [UInt8] = [
            0x05, 0x0B, 0xD8, 0x4A, 0xE4, 0xE1, 0xC0, 0xD8, 0xFF, 0x5E, 0x88, 0x2F, 0x7C, 0x9E, 0x22, 0xDB, 0x8E, 0xE6,
            0x1C, 0x8F, 0xA7, 0xFE, 0xC0, 0xBB, 0xF6, 0xD5, 0x99, 0xD3,
        ]
        let modulus = [0xC0] + Array(repeating: 0, count: 227) + tail
        #expect(RSAModulus.problem(modulus: modulus, exponent: [1, 0, 1]) == .vulnerableModulus)
        #expect(RSAModulus.problem(modulus: modulus.dropLast() + [0xD5], exponent: [1, 0, 1]) == nil)
    }

    @Test func invalidPointsAreRefused() throws {
        let good = try jwk(.es256)
        var y = try #require(good["y"]?.string.flatMap(Base64URL.decode))
        y[31] ^= 1
        #expect(problem(try jwk(.es256, ["y": .string(Base64URL.encode(y))])) == .badPoint)
        #expect(problem(try jwk(.es256, ["y": .string(Base64URL.encode([0] + y))])) == .badPoint)
        #expect(problem(try jwk(.es256, ["crv": "P-384"])) == .badPoint)
        #expect(problem(try jwk(.es256, ["crv": "secp256k1"])) == .unknownCurve)
        #expect(problem(try jwk(.edDSA, ["crv": "Ed448"])) == .unknownCurve)
        #expect(problem(try jwk(.edDSA, ["x": "AAAA"])) == .badMember("x"))
    }

    @Test func membersMustBeCanonical() throws {
        #expect(problem(try jwk(.rs256, ["e": "AQAB="])) == .badMember("e"))
        #expect(problem(try jwk(.rs256, ["n": nil])) == .badMember("n"))
        #expect(problem(try jwk(.rs256, ["kid": 7])) == .badMember("kid"))
        #expect(problem(["kty": "XYZ"]) == .unknownKeyType)
    }

    @Test func setsFromURLsHoldNoSecrets() throws {
        #expect(problem(secretJWK(bytes: 64), origin: .url) == .symmetricKeyFromURL)
        #expect(problem(try jwk(.es256, ["d": "AAAA"]), origin: .url) == .privateKeyFromURL)
        #expect(problem(try jwk(.es256, ["d": "AAAA"]), origin: .file) == nil)
        let set: JSONObject = ["keys": [.object(secretJWK(bytes: 64)), .object(try jwk(.es256))]]
        let fromURL = try KeySet(jwks: JSONWriter.bytes(of: set), origin: .url)
        #expect(fromURL.keys.map(\.keyType) == [.ellipticCurve])
        #expect(fromURL.ignored.map(\.problem) == [.symmetricKeyFromURL])
        #expect(throws: KeySetError.mixedKinds) { try KeySet(jwks: JSONWriter.bytes(of: set), origin: .file) }
    }

    @Test func unusableKeysAreSkipped() throws {
        let set: JSONObject = [
            "keys": [["kty": "new", "kid": "n"], .object(try jwk(.es256, ["use": "enc"])), .object(try jwk(.es384))]
        ]
        let keys = try KeySet(jwks: JSONWriter.bytes(of: set).span)
        #expect(keys.keys.map(\.curve) == ["P-384"])
        #expect(keys.ignored.map(\.problem) == [.unknownKeyType, .notForVerification])
    }

    @Test func malformedKeyIsAnErrorInAFileAndSkippedFromAURL() throws {
        let set: JSONObject = ["keys": [.object(try jwk(.es384)), .object(try jwk(.es256, ["x": "A"]))]]
        let text = JSONWriter.bytes(of: set)
        #expect(throws: KeySetError.malformedKey(index: 1, .badMember("x"))) { try KeySet(jwks: text) }
        #expect(try KeySet(jwks: text, origin: .url).keys.count == 1)
    }

    @Test func onlyAURLMayHaveAnEmptySet() throws {
        let text = Array(#"{"keys":[]}"#.utf8)
        #expect(try KeySet(jwks: text, origin: .url).keys.isEmpty)
        #expect(throws: KeySetError.noUsableKey(nil)) { try KeySet(jwks: text) }
    }

    @Test(arguments: ["", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[1]}"#, #"{"keys":[],"keys":[]}"#])
    func malformedKeySetIsRefused(text: String) {
        #expect(throws: KeySetError.self) { try KeySet(jwks: Array(text.utf8), origin: .url) }
    }

    @Test func setOverOneMiBIsRefused() {
        #expect(throws: KeySetError.tooLong) { try KeySet(jwks: Array(repeating: 0x20, count: 1024 * 1024 + 1)) }
    }

    @Test func printingShowsNoSecret() throws {
        let secret = Array("0123456789abcdef0123456789abcdef".utf8)
        let keys = try KeySet(secret: secret)
        var dumped = ""
        dump(keys, to: &dumped)
        for text in ["\(keys)", "\(keys.keys)", String(reflecting: keys), dumped, "\(SigningKey(secret: secret))"] {
            #expect(!text.contains("48, 49"))
            #expect(!text.contains("0123"))
        }
    }
}
