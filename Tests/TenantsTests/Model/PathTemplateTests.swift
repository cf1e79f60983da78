import TestSupport
import Testing

@testable import Tenants

@Suite struct PathTemplateTests {
    private static func made(_ path: String, _ template: String, of source: String) throws -> String {
        let template = try PathTemplate(template, of: try PathPattern(source))
        return String(decoding: template.path(of: Array(path.utf8).span), as: UTF8.self)
    }

    @Test(arguments: [
        ("/api/orders/7", "/v2/**", "/api/**", "/v2/orders/7"), ("/api", "/v2/**", "/api/**", "/v2"),
        ("/api/", "/v2/**", "/api/**", "/v2/"), ("/api/x", "/**", "/api/**", "/x"), ("/api", "/**", "/api/**", "/"),
        ("/u/7/posts/9", "/posts/*/of/*", "/u/*/posts/*", "/posts/7/of/9"), ("/a", "/b", "/a", "/b"),
        ("/x/y", "/**", "/**", "/x/y"), ("/", "/new/**", "/**", "/new/"), ("/a", "/b/", "/a", "/b/"),
        ("/u/7/x/y", "/*/**", "/u/*/**", "/7/x/y"),
    ])
    func partsOfThePathAreKept(_ path: String, _ template: String, _ source: String, _ expected: String) throws {
        #expect(try Self.made(path, template, of: source) == expected)
    }

    /// Encoded segments are counted, and stay as they are.
    @Test func restKeepsItsEncoding() throws {
        #expect(try Self.made("/%61pi/b%2Bc%20d", "/v2/**", of: "/api/**") == "/v2/b%2Bc%20d")
    }

    /// A server, or a browser that is redirected, would read a host after two slashes.
    @Test func pathBeginsWithOneSlash() throws {
        #expect(try Self.made("/api//evil.example/x", "/**", of: "/api/**") == "/evil.example/x")
        #expect(try Self.made("/api///", "/**", of: "/api/**") == "/")
        #expect(try Self.made("/api//x", "/v2/**", of: "/api/**") == "/v2//x")
    }

    @Test func literalsArePercentEncoded() throws {
        #expect(try Self.made("/a", "/ä b+c", of: "/a") == "/%C3%A4%20b+c")
    }

    /// For many patterns and paths the template's own pattern matches what it makes.
    @Test func patternMatchesEveryPathThatIsMade() throws {
        var random = SplitMix64(seed: 22)
        let words = ["a", "b", "c", "long-word", "d.e"]
        func word() -> String { words.randomElement(using: &random) ?? "a" }
        for _ in 0..<2000 {
            let count = Int.random(in: 0...4, using: &random)
            let segments = (0..<count).map { _ in Bool.random(using: &random) ? "*" : word() }
            let below = count == 0 || Bool.random(using: &random)
            let source = "/" + (segments + (below ? ["**"] : [])).joined(separator: "/")
            var stars = segments.filter { $0 == "*" }.count
            var target: [String] = []
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                if stars > 0, Bool.random(using: &random) {
                    target.append("*")
                    stars -= 1
                } else {
                    target.append(word())
                }
            }
            let text = "/" + (target + (below && Bool.random(using: &random) ? ["**"] : [])).joined(separator: "/")
            let rest = below ? (0..<Int.random(in: 0...2, using: &random)).map { _ in word() } : []
            let path = "/" + (segments.map { $0 == "*" ? word() : $0 } + rest).joined(separator: "/")
            let pattern = try PathPattern(source)
            let isMatching = pattern.matches(Array(path.utf8).span)
            try #require(isMatching, "\(source) \(path)")
            let template = try PathTemplate(text, of: pattern)
            let made = template.path(of: Array(path.utf8).span)
            let isMade = template.pattern.matches(made.span)
            #expect(isMade, "\(source) \(text) \(path)")
        }
    }
}
