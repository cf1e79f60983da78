import TestSupport
import Testing

@testable import Verification

/// Which URLs are one (RFC 3986 sections 6.2.2 and 6.2.3).
struct DPoPTargetTests {
    @Test(arguments: [
        ("https://api.example/a", "HTTPS://API.Example/a"),
        ("https://api.example/a", "https://api.example:443/a"),
        ("https://api.example/a", "https://api.example:/a"),
        ("https://api.example/a", "https://api.example:0443/a"),
        ("http://api.example/a", "http://api.example:80/a"),
        ("https://api.example/", "https://api.example"),
        ("https://api.example/a", "https://api.example/a?x=1"),
        ("https://api.example/a", "https://api.example/a#part?x"),
        ("https://api.example/", "https://api.example?x=1"),
        ("https://api.example/a", "https://api.example/b/../a"),
        ("https://api.example/a", "https://api.example/../../a"),
        ("https://api.example/a/", "https://api.example/a/."),
        ("https://api.example/a/", "https://api.example/a/b/.."),
        ("https://api.example/a", "https://api.example/./%2e/a"),
        ("https://api.example/a/~b", "https://api.example/%61/%7Eb"),
        ("https://api.example/%C3%A9", "https://api.example/%c3%a9"),
        ("https://api.example/a%2Fb", "https://api.example/a%2fb"),
        ("https://api.example/a", "https://%61pi.example/a"),
        ("http://[2001:DB8::1]:8080/", "http://[2001:db8::1]:8080"),
        ("http://[::1]/", "http://[::1]:80"),
        ("http://127.0.0.1:8443/x", "http://127.0.0.1:8443/x"),
    ])
    func equivalentTargetsAreEqual(one: String, other: String) throws {
        let target: DPoPTarget = try #require(DPoPTarget(one))
        #expect(target == DPoPTarget(other))
    }

    @Test(arguments: [
        ("https://api.example/a", "http://api.example/a"),
        ("https://api.example/a", "https://api.example/A"),
        ("https://api.example/a", "https://api.example/a/"),
        ("https://api.example/a", "https://api.example//a"),
        ("https://api.example/a", "https://api.example:8443/a"),
        ("https://api.example/a", "https://api.example./a"),
        ("https://api.example/a/b", "https://api.example/a%2Fb"),
        ("https://api.example/a", "https://api.example.evil/a"),
        ("https://api.example/a", "https://api.example/a;x"),
        ("http://api.example/a", "http://api.example:443/a"),
    ])
    func differentTargetsAreNotEqual(one: String, other: String) throws {
        let target: DPoPTarget = try #require(DPoPTarget(one))
        let different: DPoPTarget = try #require(DPoPTarget(other))
        #expect(target != different)
    }

    @Test(arguments: [
        "", "/a", "api.example/a", "https:/api.example/a", "https://", "https:///a", "ftp://api.example/a",
        "https://user@api.example/a", "https://user:pass@api.example/a", "https://api.example/a b",
        "https://api.example/%", "https://api.example/%4", "https://api.example/%zz", "https://api.example/\u{e9}",
        "https://\u{e9}.example/", "https://\u{212A}.example/", "https://api.example/a\\b", "https://api.example\r\n/a",
        "https://api.example:x/a", "https://api.example:-1/a", "https://api.example:999999/a", "https://:443/a",
        "javascript://api.example/a", " https://api.example/a", "https//api.example",
    ])
    func noURLs(text: String) {
        #expect(DPoPTarget(text) == nil)
    }

    /// Who normalises twice gets the same, whatever is fed in.
    @Test func fuzzedTargetsNeverTrapAndAreStable() {
        var generator = SplitMix64(seed: 0x9449)
        let pieces = [
            "http", "https", "://", ":", "/", "//", "..", ".", "%2e", "%2F", "%41", "%", "a", "B", "[", "]", "::", "@",
            "?", "#", "443", "80", "\u{e9}", " ", "\\", "é", "~", "-",
        ]
        var accepted = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...8, using: &generator)
            let tail = (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }.joined()
            let text = (Bool.random(using: &generator) ? "https://h" : "") + tail
            guard let target = DPoPTarget(text) else { continue }
            accepted += 1
            #expect(DPoPTarget(text + "?q") == target || text.contains("#") || text.contains("?"))
            #expect(DPoPTarget(text.replacing("%2e", with: "%2E")) == target)
        }
        #expect(accepted > 1000)
    }
}
