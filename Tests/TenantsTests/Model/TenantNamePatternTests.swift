import TestSupport
import Testing

@testable import Tenants

/// Which names a pattern matches.
struct TenantNamePatternTests {
    @Test(arguments: [
        ("shop", "shop", true), ("shop", "shop-1", false), ("shop-*", "shop-1", true), ("shop-*", "shop-", true),
        ("shop-*", "shop", false), ("*-eu", "shop-eu", true), ("*-eu", "shop-eu-2", false), ("s*p*1", "shop-1", true),
        ("s*p*1", "sp1", true), ("s*p*1", "shop-2", false), ("*", "anything", true), ("**", "a", true),
        ("a*b*c", "abbbcbc", true), ("Shop", "shop", false),
    ]) func starStandsForAnyPart(pattern: String, name: String, matches: Bool) throws {
        #expect(try #require(TenantNamePattern(pattern)).matches(name) == matches)
    }

    @Test(arguments: ["", "shop/*", "shop.*", "a b", String(repeating: "a", count: 64)])
    func whatNoNameCanMatchIsNoPattern(_ text: String) {
        #expect(TenantNamePattern(text) == nil)
    }

    /// Against the definition: a star is nothing, or one character more before itself.
    @Test func matchesAsDefined() throws {
        func defined(_ pattern: Substring, _ name: Substring) -> Bool {
            guard let first = pattern.first else { return name.isEmpty }
            if first == "*" {
                return defined(pattern.dropFirst(), name) || (!name.isEmpty && defined(pattern, name.dropFirst()))
            }
            return name.first == first && defined(pattern.dropFirst(), name.dropFirst())
        }
        var random = SplitMix64(seed: 7)
        for _ in 0..<5000 {
            let pattern = String(
                (0..<Int.random(in: 1...6, using: &random)).map { _ in "ab*".randomElement(using: &random) ?? "a" }
            )
            let name = String(
                (0..<Int.random(in: 0...8, using: &random)).map { _ in "ab".randomElement(using: &random) ?? "a" }
            )
            #expect(
                try #require(TenantNamePattern(pattern)).matches(name) == defined(pattern[...], name[...]),
                "\(pattern) \(name)"
            )
        }
    }
}
