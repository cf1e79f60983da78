import Tenants
import TestSupport
import Testing

struct PathPatternTests {
    static func matches(_ pattern: String, _ path: String) throws -> Bool {
        try PathPattern(pattern).matches(Array(path.utf8).span)
    }

    @Test(arguments: [
        ("/", "/"), ("/a", "/a"), ("/a/", "/a/"), ("/*", "/a"), ("/a/*", "/a/b"), ("/**", "/"), ("/**", "/a/b/"),
        ("/a/**", "/a"), ("/a/**", "/a/"), ("/a/**", "/a/b/c"), ("/*/b/**", "/x/b/c"), ("/ü", "/ü"),
    ])
    func matchingPathsMatch(pattern: String, path: String) throws {
        #expect(try Self.matches(pattern, path))
    }

    @Test(arguments: [
        ("/", "/a"), ("/a", "/"), ("/a", "/a/"), ("/a/", "/a"), ("/a", "/A"), ("/*", "/"), ("/*", "/a/b"),
        ("/a/*", "/a/"),
        ("/a/**", "/ab"), ("/a/**", "/"), ("/*/b/**", "/b"), ("/a/b", "/a"),
    ])
    func otherPathsDoNotMatch(pattern: String, path: String) throws {
        #expect(try !Self.matches(pattern, path))
    }

    @Test(arguments: [
        "", "a", "//", "/a//b", "/a/../b", "/.", "/a*", "/**/a", "/a/**b", "/%61", "/a?b", "/a#b", "/***",
    ])
    func malformedPatternsAreRefused(pattern: String) {
        #expect(throws: PathPattern.Malformed.self) { try PathPattern(pattern) }
    }

    /// Patterns and paths over few and short segments, so that many of them meet.
    @Test func coveringPatternMatchesEveryPathOfTheCovered() throws {
        var random = SplitMix64(seed: 2026)
        var coverings = 0
        for _ in 0..<2000 {
            let wide = try PathPattern(Self.pattern(&random))
            let narrow = try PathPattern(Self.pattern(&random))
            guard wide.covers(narrow) else { continue }
            coverings += 1
            for _ in 0..<50 {
                let path = Array(Self.path(&random).utf8)
                let isCovered = !narrow.matches(path.span) || wide.matches(path.span)
                #expect(isCovered, "\(wide) covers \(narrow), but not \(String(decoding: path, as: UTF8.self))")
            }
        }
        #expect(coverings > 100)
    }

    @Test func everyPatternCoversItself() throws {
        var random = SplitMix64(seed: 7)
        for _ in 0..<500 {
            let pattern = try PathPattern(Self.pattern(&random))
            #expect(pattern.covers(pattern))
        }
    }

    private static func pattern(_ random: inout SplitMix64) -> String {
        let segments = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            ["a", "b", "*"].randomElement(using: &random) ?? "a"
        }
        let end = ["", "/", "/**"].randomElement(using: &random) ?? ""
        let text = segments.map { "/" + $0 }.joined() + end
        return text.isEmpty ? "/" : text
    }

    private static func path(_ random: inout SplitMix64) -> String {
        let segments = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            ["a", "b", "c"].randomElement(using: &random) ?? "a"
        }
        let text = segments.map { "/" + $0 }.joined() + (Bool.random(using: &random) ? "/" : "")
        return text.isEmpty ? "/" : text
    }
}

struct AccessRulesTests {
    private static func first(_ rules: AccessRules, _ method: String, _ path: String) -> Int? {
        rules.firstMatch(method: Array(method.utf8).span, path: Array(path.utf8).span)
    }

    @Test func firstMatchingRuleDecides() throws {
        let rules = AccessRules([
            AccessRule(path: try PathPattern("/a/**"), methods: ["GET", "HEAD"], allow: .anyone),
            AccessRule(path: try PathPattern("/a/b"), allow: .signedIn(roles: ["admin"], scopes: [])),
            AccessRule(path: try PathPattern("/**"), allow: .signedIn(roles: [], scopes: [])),
        ])
        #expect(Self.first(rules, "GET", "/a/b") == 0)
        #expect(Self.first(rules, "POST", "/a/b") == 1)
        #expect(Self.first(rules, "POST", "/a/c") == 2)
        #expect(Self.first(rules, "get", "/a/b") == 1)
        #expect(Self.first(AccessRules([]), "GET", "/") == nil)
    }
}
