import TestSupport
import Testing
import Verification

/// Whatever arrives: no trap, and nothing but the honest proof passes.
struct DPoPFuzzTests {
    @Test func mutatedProofIsRefused() throws {
        let honest = Array(try Proofs.text().utf8)
        #expect(Proofs.refusal(of: String(decoding: honest, as: UTF8.self)) == nil)
        var generator = SplitMix64(seed: 9449)
        for _ in 0..<3000 {
            var bytes = honest
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: bytes.indices, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0x21...0x7E, using: &generator), at: place)
                }
            }
            guard bytes != honest else { continue }
            #expect(Self.isRefused(bytes))
        }
    }

    @Test func randomBytesNeverCrash() {
        var generator = SplitMix64(seed: 4499)
        for _ in 0..<3000 {
            #expect(Self.isRefused(generator.bytes(Int.random(in: 0...600, using: &generator))))
        }
    }

    /// Signed by a real key, with any JSON in the place of each member.
    @Test func randomValuesNeverCrash() throws {
        var generator = SplitMix64(seed: 99)
        let values: [JSONValue] = [
            .null, true, 0, -1, "", "x", "https://api.example/orders", [], [:], ["a"], ["kty": "EC"],
            .string(String(repeating: "a", count: 300)), .number(JSONNumber(Int.max)),
        ]
        let names = ["jti", "htm", "htu", "iat", "ath"]
        let signer = try ProofSigner(VerificationFixture.key(for: .edDSA), algorithm: .edDSA)
        for _ in 0..<500 {
            var claims = Proofs.claims
            let name = names[Int.random(in: names.indices, using: &generator)]
            let value = values[Int.random(in: values.indices, using: &generator)]
            claims[name] = value
            let isHonest =
                claims == Proofs.claims || name == "jti" && (value == "x" || value == "https://api.example/orders")
            #expect((Proofs.refusal(of: try signer.sign(claims)) == nil) == isHonest)
        }
    }

    private static func isRefused(_ bytes: [UInt8]) -> Bool {
        do throws(DPoPFailure) {
            let proof = try DPoPProof.parse(bytes.span)
            try proof.verifySignature()
            return false
        } catch {
            return true
        }
    }
}
