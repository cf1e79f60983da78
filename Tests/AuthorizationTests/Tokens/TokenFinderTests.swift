import Authorization
import HTTPCore
import Tenants
import TestSupport
import Testing

/// Where tokens are looked for, and when there are too many of them.
struct TokenFinderTests {
    private func find(_ lines: [String], query: String = "", from sources: [TokenSource]) throws -> String? {
        let bytes = Array("GET /\(query) HTTP/1.1\r\nHost: a\r\n\(lines.map { $0 + "\r\n" }.joined())\r\n".utf8)
        let head = RequestHead()
        try #require(RequestOutcome.parse(bytes, into: head).reading != nil)
        let queryStart = head.target.lowerBound + 1
        switch TokenFinder.find(head, bytes.span, query: queryStart..<head.target.upperBound, in: sources) {
        case .missing: return nil
        case .several: return "several"
        case .token(let range, _): return String(decoding: bytes[range], as: UTF8.self)
        }
    }

    @Test(arguments: [
        (["Authorization: Bearer abc"], "abc"), (["authorization: BEARER abc"], "abc"),
        (["Authorization: bearer    abc"], "abc"), (["Authorization:Bearer abc  "], "abc"),
        (["Authorization: Bearer a b"], "a b"), (["Authorization: Bearer"], nil), (["Authorization: Bearer "], nil),
        (["Authorization: Bearerabc"], nil), (["Authorization: Bearer\tabc"], nil), (["Authorization: Basic abc"], nil),
        (["Authorization: abc"], nil), (["Authorization:"], nil), (["Authorisation: Bearer abc"], nil), ([], nil),
        (["Authorization: Bearer abc", "Authorization: Bearer def"], "several"),
        (["Authorization: Bearer abc", "Authorization: Bearer abc"], "several"),
        (["Authorization: Basic abc", "Authorization: Bearer def"], "several"),
    ])
    func bearerToken(lines: [String], expected: String?) throws {
        #expect(try find(lines, from: [.bearer]) == expected)
    }

    @Test(arguments: [
        (["Cookie: t=abc"], "abc"), (["Cookie: a=1; t=abc; b=2"], "abc"), (["Cookie: a=1;t=abc;b=2"], "abc"),
        (["Cookie: t=\"abc\""], "abc"), (["Cookie: t = abc "], "abc"), (["Cookie:  t=abc\t;"], "abc"),
        (["Cookie: t=a=b=="], "a=b=="), (["Cookie: t="], nil), (["Cookie: t"], nil), (["Cookie: t=\"\""], nil),
        (["Cookie: t=\""], "\""), (["Cookie: xt=1; tx=2"], nil), (["Cookie: T=abc"], nil), (["Cookie: xt=1; t=2"], "2"),
        (["Cookie: a=1", "Cookie: t=abc"], "abc"), (["Cookie: t=abc; t=abc"], "abc"),
        (["Cookie: t=abc; t=def"], "several"), (["Cookie: t=abc", "Cookie: t=def"], "several"),
        (["Cookie: t=abc; t=\"abc\""], "abc"), (["Cookie: t=; t=abc"], "abc"), (["Cookie: a=\"x; t=abc\""], "abc\""),
        (["Cookie: =abc"], nil), (["Cookie: ;;;"], nil), (["Cookie: a=t=abc"], nil), (["Cookie: ;;t=abc;;"], "abc"),
        (["Cookie: a; t=abc; b"], "abc"), (["Cookie: =x; t=abc; ="], "abc"), (["Cookie: t=\"abc"], "\"abc"),
        (["Cookie: t=abc\""], "abc\""), (["Cookie: t=\"\"abc\"\""], "\"abc\""), (["Cookie: \tt=abc\t"], "abc"),
        (["Cookie: t=abc x"], "abc x"), (["Cookie: a==; t=abc"], "abc"), (["Cookie: a=t=x; t=abc"], "abc"),
        (["Cookie: t==abc"], "=abc"), (["Cookie: =t=abc"], nil), (["Cookie: t=  "], nil), (["Cookie: "], nil),
        (["Cookie: t=abc; t="], "abc"), (["Cookie: t=abc", "Cookie: t=abc"], "abc"),
        (["Cookie: t=abc; t=abc; t=def"], "several"), (["Cookie: t=abc; t=def; t=abc"], "several"),
        (["Cookie: t=abc", "Cookie: a=b", "Cookie: t=def; t=abc"], "several"), (["Cookie: a=b, t=abc"], nil),
        (["Cookie: t=abc, a=b"], "abc, a=b"), (["Cookie: a=b; c=d", "Cookie: e=f; t=abc; g=h"], "abc"),
    ])
    func cookieToken(lines: [String], expected: String?) throws {
        #expect(try find(lines, from: [.cookie(name: "t")]) == expected)
    }

    @Test(arguments: [
        "auth-token2", "xauth-token", "auth-toke", "auth-token-", "-auth-token", "Auth-Token", "AUTH-TOKEN",
        "auth_token", "__Host-auth-token", "__Secure-auth-token", "auth-token[]", "\"auth-token\"", "auth%2Dtoken",
        "auth-token\u{a0}", "$auth-token",
    ])
    func similarCookieNameIsAnother(name: String) throws {
        #expect(try find(["Cookie: \(name)=abc"], from: [.cookie(name: "auth-token")]) == nil)
        #expect(try find(["Cookie: \(name)=abc; auth-token=def"], from: [.cookie(name: "auth-token")]) == "def")
    }

    @Test(arguments: [
        ("?t=a%2Eb%2ec", "a%2Eb%2ec"), ("?t=abc", "abc"), ("?a=1&t=abc&b=2", "abc"), ("?t=", nil), ("?t", nil),
        ("", nil), ("?", nil), ("?xt=1&tx=2", nil), ("?t=a=b", "a=b"), ("?t=abc&t=abc", "abc"),
        ("?t=abc&t=def", "several"), ("?&&t=abc&&", "abc"), ("?T=abc", nil), ("?%74=abc", "abc"),
        ("?%74=abc&t=def", "several"), ("?%5474=abc", nil), ("?%7=abc", nil), ("?t%=abc", nil), ("?t=&t=abc", "abc"),
        ("?a=?t=abc", nil), ("??t=abc", nil),
    ])
    func queryToken(query: String, expected: String?) throws {
        #expect(try find([], query: query, from: [.query(name: "t")]) == expected)
    }

    @Test(arguments: [
        (["X-Token: abc"], "abc"), (["x-TOKEN:  abc "], "abc"), (["X-Token:"], nil), (["X-Tokens: abc"], nil),
        (["X_Token: abc"], nil), (["X-Token: abc", "X-Token: abc"], "abc"),
        (["X-Token: abc", "X-Token: def"], "several"), (["X_Token: def", "X-Token: abc"], "abc"),
    ])
    func headerToken(lines: [String], expected: String?) throws {
        #expect(try find(lines, from: [.header(name: "x-token")]) == expected)
    }

    @Test func firstSourceWithATokenDecides() throws {
        let lines = ["Authorization: Bearer one", "Cookie: t=two", "X-Token: three"]
        let sources: [TokenSource] = [.bearer, .cookie(name: "t"), .header(name: "x-token"), .query(name: "t")]
        #expect(try find(lines, query: "?t=four", from: sources) == "one")
        #expect(try find(lines, query: "?t=four", from: sources.reversed()) == "four")
        #expect(try find(Array(lines.dropFirst()), from: sources) == "two")
        #expect(
            try find(["Cookie: t=1; t=2", "X-Token: 3"], from: [.cookie(name: "t"), .header(name: "x-token")])
                == "several"
        )
        #expect(try find(lines, from: []) == nil)
    }

    // MARK: Properties

    @Test func cookiePairsAreSplitAtSemicolons() {
        var random = SplitMix64(seed: 50)
        for _ in 0..<5000 {
            let bytes = random.bytes(random.below(24), of: Array("ab=;\" \t".utf8))
            var pairs: [[String]] = []
            Cookies.forEach(bytes.span, 0..<bytes.count) { pair in
                pairs.append([pair.name, pair.value, pair.whole].map { String(decoding: bytes[$0], as: UTF8.self) })
            }
            let expected = String(decoding: bytes, as: UTF8.self).split(separator: ";").compactMap {
                whole -> [String]? in
                guard let equals = whole.firstIndex(of: "=") else {
                    return trimmed(whole).isEmpty ? nil : ["", trimmed(whole), String(whole)]
                }
                var value = trimmed(whole[whole.index(after: equals)...])
                if value.count >= 2, value.first == "\"", value.last == "\"" {
                    value = String(value.dropFirst().dropLast())
                }
                return [trimmed(whole[..<equals]), value, String(whole)]
            }
            #expect(pairs == expected)
        }
    }

    private func trimmed(_ text: Substring) -> String {
        let isWhite: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = text.drop(while: isWhite)
        return String(start.reversed().drop(while: isWhite).reversed())
    }

    @Test func queryParametersAreSplitAtAmpersands() {
        var random = SplitMix64(seed: 51)
        for _ in 0..<5000 {
            let bytes = [UInt8(ascii: "?")] + random.bytes(random.below(16), of: Array("ab=&?".utf8))
            var parameters: [[String]] = []
            QueryParameters.forEach(bytes.span, 0..<bytes.count) { parameter in
                parameters.append(
                    [parameter.name, parameter.value, parameter.whole].map {
                        String(decoding: bytes[$0], as: UTF8.self)
                    }
                )
            }
            let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
            let expected = text.split(separator: "&", omittingEmptySubsequences: false).map { whole in
                let parts = whole.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                return [parts.first ?? "", parts.count == 2 ? parts[1] : "", String(whole)]
            }
            #expect(parameters == expected)
        }
    }
}
