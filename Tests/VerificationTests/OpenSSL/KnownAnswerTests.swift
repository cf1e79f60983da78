import Testing

@testable import Verification

/// The examples of the standards.
@Suite struct KnownAnswerTests {
    private func bytes(_ text: String) throws -> [UInt8] { try #require(Hexadecimal.bytes(text)) }

    /// RFC 4231 section 4.3, and the code of nothing under the empty key.
    @Test func hmac() throws {
        let code = HMACSHA256.code(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(Hexadecimal.text(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let empty = HMACSHA256.code(of: [], key: [])
        #expect(Hexadecimal.text(empty) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    /// RFC 5869 appendices A.1 to A.3.
    @Test func hkdf() throws {
        let secret = [UInt8](repeating: 0x0b, count: 22)
        let first = HKDF.key(of: secret, salt: [UInt8](0...12), info: [UInt8](0xf0...0xf9), count: 42)
        #expect(
            Hexadecimal.text(first)
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        )
        let long = HKDF.key(
            of: [UInt8](0x00...0x4f),
            salt: [UInt8](0x60...0xaf),
            info: [UInt8](0xb0...0xff),
            count: 82
        )
        #expect(
            Hexadecimal.text(long)
                == "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
        )
        let bare = HKDF.key(of: secret, info: [], count: 42)
        #expect(
            Hexadecimal.text(bare)
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
        )
    }

    struct SealedExample: Sendable {
        var key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
        var nonce = "cafebabefacedbaddecaf888"
        var context = ""
        var value: String
        var ciphertext: String
        var tag: String
    }

    private static let plaintext =
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    private static let ciphertext =
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"

    /// Test cases 13 to 16 of the specification of GCM that was submitted to NIST.
    static let sealedExamples = [
        SealedExample(
            key: String(repeating: "0", count: 64),
            nonce: String(repeating: "0", count: 24),
            value: "",
            ciphertext: "",
            tag: "530f8afbc74536b9a963b4f1c4cb738b"
        ),
        SealedExample(
            key: String(repeating: "0", count: 64),
            nonce: String(repeating: "0", count: 24),
            value: String(repeating: "0", count: 32),
            ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
            tag: "d0d1c8a799996bf0265b98b5d48ab919"
        ),
        SealedExample(
            value: plaintext + "1aafd255",
            ciphertext: ciphertext + "898015ad",
            tag: "b094dac5d93471bdec1a502270e3cc6c"
        ),
        SealedExample(
            context: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            value: plaintext,
            ciphertext: ciphertext,
            tag: "76fc6ece0f4e1768cddf8853bb2d551b"
        ),
    ]

    @Test(arguments: sealedExamples)
    func aesGCM(example: SealedExample) throws {
        let (key, context) = (try bytes(example.key), try bytes(example.context))
        let value = try bytes(example.value)
        let sealed = try bytes(example.nonce + example.ciphertext + example.tag)
        #expect(AESGCM.seal(value, key: key, nonce: try bytes(example.nonce), authenticating: context) == sealed)
        #expect(AESGCM.open(sealed, key: key, authenticating: context) == value)
        #expect(AESGCM.open(sealed, key: key, authenticating: context + [0]) == nil)
        #expect(AESGCM.open(sealed, key: Array(key.dropLast()), authenticating: context) == nil)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(AESGCM.open(changed, key: key, authenticating: context) == nil)
            #expect(AESGCM.open(Array(sealed.prefix(index)), key: key, authenticating: context) == nil)
        }
    }
}
