import TestSupport
import Testing
import Verification

@Suite struct Base64URLTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func examplesOfRFC4648WithoutPadding(plain: String, encoded: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(plain.utf8))
    }

    @Test(arguments: [
        "Zg==", "Zm8=", "Zm9v=", "=", "Z", "Zm9vZ", " Zm9v", "Zm9v ", "Zm\n9v", "Zm9+", "Zm9/", "Zm9?", "Zm9\u{E9}",
        "Zm.v",
    ])
    func otherCharactersAndPaddingAreRefused(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(arguments: ["Zh", "Zk", "Zv", "Zm9", "Zm-"])
    func unusedBitsThatAreNotZeroAreRefused(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func everyByteStringIsReadBack() {
        var random = SplitMix64(seed: 1)
        for length in 0..<200 {
            let bytes = random.bytes(length)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test func decodableTextIsCanonical() {
        var random = SplitMix64(seed: 2)
        let characters = Array("ABCxyz059-_=+/ .".utf8)
        var decoded = 0
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                characters.randomElement(using: &random) ?? 0
            }
            guard let bytes = Base64URL.decode(text) else { continue }
            decoded += 1
            #expect(Array(Base64URL.encode(bytes).utf8) == text)
        }
        #expect(decoded > 100)
    }
}
