import TestSupport
import Testing
import Verification

@testable import IdentityProvider

struct RefreshTokenTests {
    private static let id = [UInt8](0..<16)
    private static let key = [UInt8](repeating: 7, count: 32)

    @Test func tokenRoundTrips() throws {
        let token = RefreshToken(sessionID: Self.id, familyKey: Self.key)
        #expect(token.text.utf8.count == 86)
        #expect(try #require(RefreshToken(token.text)) == token)
        #expect(token.sessionID == Base64URL.encode(Self.id))
        #expect(token.belongs(to: Self.key))
        #expect(!token.belongs(to: [UInt8](repeating: 8, count: 32)))
    }

    /// Made by swift-crypto, which did this before.
    @Test func whatAnEarlierVersionSealedOpens() throws {
        let oldBytes = try #require(
            Hexadecimal.bytes(
                """
                000102030405060708090a0b0c0d0e0f23a51af6aa8eb7d2f3a7e65123bb5788ea316e29d25a294e0e2cf674\
                fb01674371c04d087ded337f2d946cf57e06ad1e
                """
            )
        )
        let newBytes = try #require(
            Hexadecimal.bytes(
                """
                000102030405060708090a0b0c0d0e0fa11f1e4f66ca1e271c690b16288e18c8440cc37d78a5ddc64d075e82\
                46f83886c04c6994187583031736f996a74650d4
                """
            )
        )
        let sealed = try #require(
            Hexadecimal.bytes(
                """
                40a1b9925d59a42bbe7cd76ac028e3c212b76b5d1b1b9048b6242a70c87953cfd2836411bda8475c7cbf954f\
                77b29ef5866ca8bd9bd17f50af5669dac3bccab1971784249dfac309ae006b1497576447be127678b1b74b28\
                b4f10d0a
                """
            )
        )
        let old = try #require(RefreshToken(bytes: oldBytes))
        let new = try #require(RefreshToken(bytes: newBytes))
        #expect(old.belongs(to: [UInt8](100..<132)) && new.belongs(to: [UInt8](100..<132)))
        #expect(SealedSuccessor.open(sealed, with: old, tenant: "acme") == new)
        let code = try #require(
            Hexadecimal.bytes("cece545c66bc67c7df686837e08ac36835870e5b480b8a70a35d43fc579a922103fa97e1c0b43ca58513")
        )
        let value = CredentialSeal.open(code, with: [UInt8](0..<32), purpose: "code")
        #expect(value == Array("a sealed value".utf8))
    }

    @Test func tokensAreUnique() {
        let tokens = (0..<100).map { _ in RefreshToken(sessionID: Self.id, familyKey: Self.key) }
        #expect(Set(tokens.map(\.text)).count == 100)
        #expect(Set(tokens.map(\.hash)).count == 100)
    }

    @Test func oneChangedBitLeavesFamily() throws {
        let token = RefreshToken(sessionID: Self.id, familyKey: Self.key)
        for bit in 0..<512 {
            var bytes = token.bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            let changed = try #require(RefreshToken(bytes: bytes))
            #expect(!changed.belongs(to: Self.key))
            #expect(changed.hash != token.hash)
        }
    }

    @Test func malformedTextIsRejected() {
        let text = RefreshToken(sessionID: Self.id, familyKey: Self.key).text
        for other in ["", "a", text + "=", text + "A", String(text.dropLast()), " " + text, text + "\n"] {
            #expect(RefreshToken(other) == nil, "\(other)")
        }
    }

    @Test func randomBytesAreReadOrRejected() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<5000 {
            let count = Int.random(in: 0...120, using: &random)
            let text = String(decoding: random.bytes(count), as: UTF8.self)
            #expect(RefreshToken(text) == nil)
            let encoded = Base64URL.encode(random.bytes(count))
            #expect((RefreshToken(encoded) != nil) == (count == 64))
        }
    }

    @Test func descriptionShowsNothing() {
        let token = RefreshToken(sessionID: Self.id, familyKey: Self.key)
        var dumped = ""
        dump([token], to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped] {
            #expect(!text.contains(token.text) && !text.contains("\(token.bytes[20]), \(token.bytes[21])"))
        }
    }

    @Test func successorOpensOnlyWithOldToken() throws {
        let old = RefreshToken(sessionID: Self.id, familyKey: Self.key)
        let other = RefreshToken(sessionID: Self.id, familyKey: Self.key)
        let successor = RefreshToken(sessionID: Self.id, familyKey: Self.key)
        let sealed = try #require(SealedSuccessor.seal(successor, with: old, tenant: "chat"))
        #expect(SealedSuccessor.open(sealed, with: old, tenant: "chat") == successor)
        #expect(SealedSuccessor.open(sealed, with: other, tenant: "chat") == nil)
        #expect(SealedSuccessor.open(sealed, with: successor, tenant: "chat") == nil)
        #expect(SealedSuccessor.open(sealed, with: old, tenant: "clans") == nil)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x20
            #expect(SealedSuccessor.open(changed, with: old, tenant: "chat") == nil)
        }
        for count in 0..<sealed.count {
            #expect(SealedSuccessor.open(Array(sealed.prefix(count)), with: old, tenant: "chat") == nil)
        }
    }
}
