import TestSupport
import Testing
import Time
import Verification

/// Nonces of the gateway (RFC 9449 sections 8 and 9).
struct ProofNoncesTests {
    private let now = VerificationFixture.now
    private let nonces = ProofNonces(key: [UInt8](repeating: 7, count: 32))

    @Test func nonceIsValidForItsLifetime() {
        let nonce = nonces.make(at: now)
        #expect(nonce.utf8.count == 32)
        #expect(nonces.isGood(nonce, at: now))
        #expect(nonces.isGood(nonce, at: now + 300))
        #expect(!nonces.isGood(nonce, at: now + 301))
        #expect(nonces.isGood(nonce, at: now - 30))
        #expect(!nonces.isGood(nonce, at: now - 32))
    }

    @Test func nonceIsAgingAfterHalfItsLifetime() {
        let nonce = nonces.make(at: now)
        #expect(!nonces.isAging(nonce, at: now + 150))
        #expect(nonces.isAging(nonce, at: now + 151))
        #expect(nonces.isAging("forged", at: now))
    }

    @Test func instancesWithOneKeyAcceptEachOthersNonces() {
        let other = ProofNonces(key: [UInt8](repeating: 7, count: 32))
        #expect(other.isGood(nonces.make(at: now), at: now))
        #expect(!ProofNonces(key: [UInt8](repeating: 8, count: 32)).isGood(nonces.make(at: now), at: now))
        #expect(!ProofNonces().isGood(ProofNonces().make(at: now), at: now))
    }

    @Test func forgedNonceIsRefused() throws {
        let nonce = Array(nonces.make(at: now).utf8)
        var generator = SplitMix64(seed: 1)
        for _ in 0..<2000 {
            var bytes = nonce
            let place = Int.random(in: bytes.indices, using: &generator)
            bytes[place] = UInt8.random(in: 0x21...0x7E, using: &generator)
            guard bytes != nonce else { continue }
            #expect(!nonces.isGood(String(decoding: bytes, as: UTF8.self), at: now))
        }
        for text in ["", "x", String(decoding: nonce, as: UTF8.self) + "A", String(repeating: "A", count: 32)] {
            #expect(!nonces.isGood(text, at: now))
        }
    }

    @Test func keyIsNotPrinted() {
        #expect("\(nonces)" == "proof nonces")
        #expect(Mirror(reflecting: nonces).children.isEmpty)
    }
}
