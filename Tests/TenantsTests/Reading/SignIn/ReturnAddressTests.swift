import ConfigurationText
import TestSupport
import Testing

@testable import Tenants

/// Where browsers and apps may be sent.
struct ReturnAddressTests {
    private func isGood(_ text: String, allowsApps: Bool = true) -> Bool {
        do throws(Remedy) {
            _ = try ReturnAddress.checked(text, allowsApps: allowsApps)
            return true
        } catch {
            return false
        }
    }

    @Test(arguments: [
        "clanboards://oauthredirect", "com.example.app:/oauth2", "app:x", "https://a.test", "HTTPS://a.test/%41?b=c&d",
        "http://127.8.9.10:1/", "http://[::1]:5/x", "http://LOCALHOST/", "http://x.y.localhost:1", "http://a.localtest",
    ])
    func appAndPageAddressesAreAccepted(text: String) {
        #expect(isGood(text))
        #expect(isGood(text, allowsApps: false) == text.lowercased().hasPrefix("http"))
    }

    @Test(arguments: [
        "", ":", "//a.test", "a", "é://x", "ap p://x", "app:", "JavaScript:alert(1)", "java\tscript:x", "data:,x",
        "VBSCRIPT:x", "file:x", "filesystem:x", "blob:x", "about:blank", "view-source:https://a.test",
        "http://localhost.a.test/", "http://xlocalhost/", "http://localtest.me/", "http://10.0.0.1/", "http://0.0.0.0/",
        "http://128.0.0.1/", "https://a.test#", "https://a@b.test", "https://a.test:99999", "https://-a.test/",
        "https://a_\u{0}b/", "http:/localhost", "https://?x", "https://[::1", "app://*", "https://a.test/{x}",
    ])
    func whatLeadsElsewhereIsNone(text: String) {
        #expect(!isGood(text))
        #expect(!isGood(text, allowsApps: false))
    }

    @Test func acceptedAddressesFollowTheRules() {
        var random = SplitMix64(seed: 0x7265_7475)
        let pieces = [
            "http", "https", "app", "javascript", ":", "/", "//", "localhost", ".localtest", "127.0.0.1", "[::1]", "@",
            "#", "*", "?", "a.test", ":80", " ", "\\", "%2f", "é", "\u{0}", "+x", "-",
        ]
        var taken = 0
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 1...6, using: &random))
                .compactMap { _ in pieces.randomElement(using: &random) }.joined()
            guard isGood(text) else { continue }
            taken += 1
            #expect(text.utf8.allSatisfy { (0x21...0x7e).contains($0) })
            #expect(!text.contains("#") && !text.contains("*") && !text.contains("\\"))
            #expect(!text.hasPrefix("javascript:"))
            guard text.hasPrefix("http:") || text.hasPrefix("https:") else { continue }
            let host = text.split(separator: "/", omittingEmptySubsequences: false)[2].prefix { $0 != "?" }
            #expect(!host.isEmpty && !host.contains("@"))
            if text.hasPrefix("http:") {
                #expect(["localhost", "localtest", "127.0.0.1", "[::1]"].contains { host.contains($0) })
            }
        }
        #expect(taken > 100)
    }
}
