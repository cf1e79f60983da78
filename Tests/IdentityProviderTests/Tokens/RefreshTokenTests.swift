import TestSupport
import Testing
import Verification

@testable import IdentityProvider

struct RefreshTokenTests {
    private static let id = [UInt8](0..<16)
    private static let key = [UInt8](repeating: 7, count: 32)

    @Test func itReadsBackAsItWasWritten() throws {
        let token = RefreshToken(sessionID: Self.id, familyKey: Self.key)
        #expect(token.text.utf8.count == 86)
        #expect(try #require(RefreshToken(token.text)) == token)
        #expect(token.sessionID == Base64URL.encode(Self.id))
        #expect(token.belongs(to: Self.key))
        #expect(!token.belongs(to: [UInt8](repeating: 8, count: 32)))
    }

    @Test func noTwoAreTheSame() {
        let tokens = (0..<100).map { _ in RefreshToken(sessionID: Self.id, familyKey: Self.key) }
        #expect(Set(tokens.map(\.text)).count == 100)
        #expect(Set(tokens.map(\.hash)).count == 100)
    }

    @Test func oneChangedBitMakesItNoneOfTheFamily() throws {
        let token = RefreshToken(sessionID: Self.id, familyKey: Self.key)
        for bit in 0..<512 {
            var bytes = token.bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            let changed = try #require(RefreshToken(bytes: bytes))
            #expect(!changed.belongs(to: Self.key))
            #expect(changed.hash != token.hash)
        }
    }

    @Test func whatLooksLikeNoneIsNone() {
        let text = RefreshToken(sessionID: Self.id, familyKey: Self.key).text
        for other in ["", "a", text + "=", text + "A", String(text.dropLast()), " " + text, text + "\n"] {
            #expect(RefreshToken(other) == nil, "\(other)")
        }
    }

    @Test func anyBytesAreReadAsOneOrRefused() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<5000 {
            let count = Int.random(in: 0...120, using: &random)
            let text = String(decoding: random.bytes(count), as: UTF8.self)
            #expect(RefreshToken(text) == nil)
            let encoded = Base64URL.encode(random.bytes(count))
            #expect((RefreshToken(encoded) != nil) == (count == 64))
        }
    }

    @Test func printingShowsNothing() {
        let token = RefreshToken(sessionID: Self.id, familyKey: Self.key)
        var dumped = ""
        dump([token], to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped] {
            #expect(!text.contains(token.text) && !text.contains("\(token.bytes[20]), \(token.bytes[21])"))
        }
    }

    @Test func aSuccessorOpensWithTheOldTokenAlone() throws {
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
