import HTTPCore
import NIOCore
import Tenants
import TestSupport
import Testing
import UpstreamTestSupport

@testable import Proxy

/// New tokens replace the old ones, and nothing else changes.
struct HeadRewriterTests {
    private func rewrite(
        _ text: String,
        _ old: String = "old",
        with new: String = "new",
        cookies: [(String, String)] = [],
        droppingExpectation: Bool = false
    ) throws -> String {
        let bytes = Array(text.utf8)
        let head = RequestHead()
        let parser = RequestHeadParser(maximumBytes: 32 << 10, maximumFields: 100)
        try #require(parser.parse(bytes.span, into: head) == .complete)
        var rewriter = HeadRewriter()
        rewriter.replaceAll(Array(old.utf8), with: Array(new.utf8), head, bytes.span)
        rewriter.replaceCookies(cookies.map { SampleRenewal.cookie($0.0, $0.1) }, head, bytes.span)
        if droppingExpectation { rewriter.dropExpectation(head) }
        return String(buffer: rewriter.rewritten(head, bytes.span))
    }

    private func head(_ lines: String..., target: String = "/x") -> String {
        "GET \(target) HTTP/1.1\r\nHost: app.test\r\n\(lines.map { $0 + "\r\n" }.joined())\r\n"
    }

    @Test func everyCopyOfTokenIsReplaced() throws {
        let text = head("Authorization: Bearer old", "Cookie: a=old; b=\"old\"", "X-Own: 1", target: "/x?t=old&u=old")
        let expected = head(
            "Authorization: Bearer newer",
            "Cookie: a=newer; b=\"newer\"",
            "X-Own: 1",
            target: "/x?t=newer&u=newer"
        )
        #expect(try rewrite(text, with: "newer") == expected)
        #expect(try rewrite(text, with: "n") == expected.replacing("newer", with: "n"))
    }

    // MARK: Tokens that are taken out

    private func without(_ sources: [TokenSource], _ text: String) throws -> String {
        let pipeline = RequestPipeline([
            try RequestPipeline.tenant(from: [.bearer, .cookie(name: "t"), .query(name: "t"), .header(name: "x-t")])
        ])
        let bytes = Array(text.utf8)
        let routed = try pipeline.routed(bytes)
        var rewriter = HeadRewriter()
        rewriter.remove(sources, from: routed, bytes.span)
        return String(buffer: rewriter.rewritten(routed.head, bytes.span))
    }

    @Test func tokenIsTakenOutOfItsLocationAlone() throws {
        let text = head(
            "Authorization: Bearer a.b.c",
            "Cookie: x=1;t=a.b.c; y=\"2\"; t=a.b.c;",
            "X-T: a.b.c",
            "x-t: a.b.c",
            "X-Own: a.b.c",
            target: "/x?a=1&t=a.b.c&%74=a.b.c&b=2"
        )
        #expect(try without([.bearer], text) == text.replacing("Authorization: Bearer a.b.c\r\n", with: ""))
        #expect(
            try without([.cookie(name: "t")], text)
                == text.replacing("Cookie: x=1;t=a.b.c; y=\"2\"; t=a.b.c;", with: "Cookie: x=1; y=\"2\"")
        )
        #expect(
            try without([.query(name: "t")], text) == text.replacing("?a=1&t=a.b.c&%74=a.b.c&b=2", with: "?a=1&b=2")
        )
        #expect(
            try without([.header(name: "x-t")], text)
                == text.replacing("X-T: a.b.c\r\nx-t: a.b.c\r\n", with: "")
        )
    }

    @Test func locationWithNothingElseGoes() throws {
        let text = head("Cookie: t=a.b.c", "Cookie: t=a.b.c; u=1", target: "/x?t=a.b.c")
        #expect(
            try without([.cookie(name: "t"), .query(name: "t"), .cookie(name: "u")], text) == head(target: "/x")
        )
        #expect(try without([.cookie(name: "t")], text) == head("Cookie: u=1", target: "/x?t=a.b.c"))
        #expect(try without([.query(name: "none"), .header(name: "none")], text) == text)
    }

    @Test func otherSubprotocolsStay() throws {
        let token = "aaaaaaaaaaaaaaaaaaaa.bbbbbbbbbbbbbbbbbbbb.cccccccccc"
        let source = TokenSource.header(name: "sec-websocket-protocol")
        #expect(
            try without([source], head("Sec-WebSocket-Protocol: chat, \(token), v2"))
                == head("Sec-WebSocket-Protocol: chat, v2")
        )
        #expect(try without([source], head("Sec-WebSocket-Protocol: \(token)")) == head())
    }

    @Test func adjacentCopiesAreReplacedOnce() throws {
        #expect(try rewrite(head("A: oldold"), "old", with: "x") == head("A: xx"))
        #expect(try rewrite(head("A: aaaaa"), "aa", with: "b") == head("A: bba"))
        // A cookie that begins with the first bytes of the token.
        #expect(try rewrite(head("A: oolold"), "old", with: "x") == head("A: oolx"))
    }

    @Test func bytesAfterHeadAreUnchanged() throws {
        let text = head("Content-Length: 3")
        #expect(try rewrite(text + "old") == text)
        // A token that only the body completes.
        #expect(try rewrite(text + "old", "\r\n\r\nold", with: "x") == text)
    }

    @Test func emptyTokenReplacesNothing() throws {
        #expect(try rewrite(head("A: b"), "") == head("A: b"))
    }

    // MARK: Cookies

    @Test func cookiesAreReplacedByName() throws {
        let text = head("Cookie: access=old; x=1; refresh=r1", "Cookie: refresh=\"r1\"; Access=old2; refresh2=r1")
        let expected = head("Cookie: access=new; x=1; refresh=r2", "Cookie: refresh=\"r2\"; Access=new2; refresh2=r1")
        #expect(try rewrite(text, cookies: [("refresh", "r2")]) == expected)
    }

    /// A client may repeat a cookie as long as there is room; each of them is replaced, and looked up in one step.
    @Test func thousandsOfCookieCopiesAreReplaced() throws {
        let cookies = { (value: String) in Array(repeating: "r=\(value)", count: 4000).joined(separator: ";") }
        #expect(try rewrite(head("Cookie: \(cookies("1"))"), cookies: [("r", "2")]) == head("Cookie: \(cookies("2"))"))
    }

    @Test func tokenIsFoundAfterRepeatedPrefix() throws {
        let token = String(repeating: "a", count: 6000) + "b"
        let beginning = String(repeating: "a", count: 14_000)
        #expect(
            try rewrite(head("A: \(beginning)", "B: aa\(token)"), token, with: "new")
                == head("A: \(beginning)", "B: aanew")
        )
    }

    @Test func emptyAndMissingCookiesAreHandled() throws {
        #expect(
            try rewrite(head("Cookie: refresh=; a=b"), cookies: [("refresh", "r2")]) == head("Cookie: refresh=r2; a=b")
        )
        #expect(try rewrite(head("Cookie: refresh; a=b"), cookies: [("refresh", "r2")]) == head("Cookie: refresh; a=b"))
        #expect(try rewrite(head("X: refresh=r1"), cookies: [("refresh", "r2")]) == head("X: refresh=r1"))
    }

    /// A client may put one token into another; both replacements would take the same bytes.
    @Test(arguments: ["old", "xold", "oldx", "xoldx", "oldold"])
    func cookieContainingTokenIsReplacedWhole(_ value: String) throws {
        let text = head("Cookie: refresh=\(value); a=old")
        let refreshed = value == "old" ? "new" : "r2"
        #expect(try rewrite(text, cookies: [("refresh", "r2")]) == head("Cookie: refresh=\(refreshed); a=new"))
    }

    // MARK: Expect

    @Test func expectationLineIsRemoved() throws {
        let text = head("A: 1", "expect: 100-continue", "B: 2", "Authorization: Bearer old")
        let expected = head("A: 1", "B: 2", "Authorization: Bearer new")
        #expect(try rewrite(text, droppingExpectation: true) == expected)
        #expect(try rewrite(text) == text.replacing("old", with: "new"))
    }

    /// Random heads full of the token: nothing is lost, and the head stays one.
    @Test func rewrittenHeadStaysValid() throws {
        var random = SplitMix64(seed: 41)
        for _ in 0..<3000 {
            let pieces = ["old", "ol", "refresh=", "a=", "; ", "\"", "d", " ", "x"]
            let lines = (0..<(1 + random.below(4))).map { _ in
                let name = random.pick(["Cookie", "Authorization", "X-Own"])
                return "\(name): x\((0..<random.below(8)).map { _ in random.pick(pieces) }.joined())x"
            }
            let text = "GET /?old HTTP/1.1\r\nHost: app.test\r\n\(lines.map { $0 + "\r\n" }.joined())\r\n"
            let written = try rewrite(
                text,
                cookies: [("refresh", "R"), ("a", "A")],
                droppingExpectation: random.oneIn(2)
            )
            let before = try #require(RequestOutcome.parse(text).reading)
            let after = try #require(RequestOutcome.parse(written).reading, "\(text) became \(written)")
            #expect(after.names == before.names && after.length == written.utf8.count, "\(text)")
            #expect(!written.contains("old"), "\(text) became \(written)")
            #expect(before.values("X-Own").map { $0.replacing("old", with: "new") } == after.values("X-Own"), "\(text)")
        }
    }
}
