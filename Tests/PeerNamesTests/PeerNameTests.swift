import Testing

@testable import PeerNames

@Suite struct PeerNameTests {
    private func matches(_ pattern: String, _ host: String) throws -> Bool {
        try #require(PeerName(ofHost: host)).matches(Array(pattern.utf8))
    }

    @Test(arguments: [
        ("redis.test", "redis.test"), ("REDIS.test", "redis.TEST"), ("redis.test.", "redis.test"),
        ("redis.test", "redis.test."), ("*.redis.test", "a.redis.test"), ("*.redis.test", "A.REDIS.test."),
        ("localhost", "localhost"), ("a_b.test", "a_b.test"),
    ])
    func aNameIsMatched(pattern: String, name: String) throws {
        #expect(try matches(pattern, name))
    }

    @Test(arguments: [
        ("redis.test", "other.test"), ("redis.test", "a.redis.test"), ("*.redis.test", "redis.test"),
        ("*.redis.test", "a.b.redis.test"), ("*.redis.test", ".redis.test"), ("*.test", "redis.test"), ("*", "redis"),
        ("r*.redis.test", "ra.redis.test"), ("", ""), (".", "."), ("redis.test\0.evil", "redis.test"),
        ("redis.test", "redis.test\0.evil"), ("*.*.test", "a.b.test"), ("redis.test..", "redis.test"),
    ])
    func anotherNameIsNot(pattern: String, name: String) throws {
        #expect(try !matches(pattern, name))
    }

    /// U+212A, the kelvin sign, is a small k in Unicode case folding; the others are equal to ASCII or
    /// to each other under its normal forms.
    @Test(arguments: [
        ("kelvin.test", "\u{212A}elvin.test"), ("\u{212A}elvin.test", "kelvin.test"),
        ("\u{212A}elvin.test", "\u{212A}elvin.test"), ("caf\u{E9}.test", "cafe\u{301}.test"),
        ("caf\u{E9}.test", "caf\u{E9}.test"), ("a;.test", "a\u{37E}.test"), ("*.shop.test", "\u{E9}.shop.test"),
    ])
    func whatIsNotASCIIIsInNoCertificate(pattern: String, name: String) throws {
        #expect(try !matches(pattern, name))
    }

    @Test(arguments: ["127.0.0.1", "::1", "[::1]", "[2001:db8::1]", "2001:db8::1"])
    func anAddressIsNoName(host: String) {
        #expect(PeerName(ofHost: host) == nil)
    }

    /// Not all that a resolver takes for an address is one in a certificate.
    @Test(arguments: ["127.1", "0x7f000001", "2130706433", "127.0.0.1\0.evil", "127.0.0.1.", "[shop.test]"])
    func whatOnlyLooksLikeAnAddressIsAName(host: String) {
        #expect(PeerName(ofHost: host) != nil)
    }

    @Test func theNameIsSentWithoutItsLastDot() {
        #expect(PeerName(ofHost: "Shop.test.")?.text == "Shop.test")
    }
}
