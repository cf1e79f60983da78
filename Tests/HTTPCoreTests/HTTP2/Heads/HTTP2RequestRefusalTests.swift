import NIOCore
import TestSupport
import Testing

@testable import HTTPCore

/// Requests that are malformed by RFC 9113 section 8, or would read as two in HTTP/1.1.
struct HTTP2RequestRefusalTests {
    private func isMalformed(_ request: HTTP2Translation, endStream: Bool = true) -> Bool {
        do {
            _ = try request.writeRequest(endStream: endStream)
            return false
        } catch {
            return error is HTTP2Malformed
        }
    }

    @Test(arguments: [
        ("connection", "close"), ("connection", "x-user"), ("keep-alive", "1"), ("proxy-connection", "close"),
        ("transfer-encoding", "chunked"), ("upgrade", "h2c"), ("http2-settings", "AAMAAABk"), ("te", "gzip"),
        ("te", "trailers, gzip"), ("X-Upper", "a"), ("x-Upper", "a"), ("", "a"), ("a b", "c"), ("a:", "c"),
        ("a:b", "c"), ("a\r\nb", "c"), ("transfer-encoding: chunked\r\nx", "x"), ("a\0", "c"), ("ä", "c"), (" a", "c"),
        ("x", "a\r\ntransfer-encoding: chunked"), ("x", "a\nb"), ("x", "a\rb"), ("x", "a\0b"), ("x", " a"),
        ("x", "a "), ("x", "\ta"), ("x", "a\t"), (":x", "a"), (":status", "200"), (":path", "/twice"),
        ("content-length", "x"), ("content-length", ""), ("content-length", "+1"), ("content-length", "1, 1"),
        ("content-length", "99999999999999999999"), ("content-length", "1"), ("content-length", "-5"),
        ("content-length", "0x5"), ("content-length", "5.0"), ("content-length", "five"), ("content-length", "5 5"),
        ("content-length", "5, 5"), ("content-length", "\u{665}"), ("connection", ""), ("upgrade", "websocket"),
        ("transfer-encoding", "identity"), ("te", "trailers, deflate"),
        ("transfer-encoding", ""), ("content-length", "5;chunked"), ("connectioN", "a"), (":", "c"), (":host", "a"),
        ("a ", "c"), ("a\t", "c"), ("\ta", "c"), ("a\u{b}", "c"), ("a\u{7f}", "c"), ("a(b)", "c"), ("a\"b", "c"),
        ("a/b", "c"), ("a[b]", "c"), ("x", " "), ("x", "\t"),
    ])
    func malformedFieldIsRefused(name: String, value: String) {
        #expect(isMalformed(.request([(name, value)])))
        #expect(!isMalformed(.request([("x-fine", "a b\tc")])))
    }

    @Test(arguments: ["", "a b", "\u{e9}\u{20ac}", "a,b;c=\"d\"", ":", "a:b", "~!@#$%^&*()"])
    func valueOfOtherBytesIsAccepted(value: String) {
        #expect(!isMalformed(.request([("x-a", value), ("te", "trailers")])))
    }

    @Test func severalLengthsAreMalformed() {
        for second in ["1", "2"] {
            let request = HTTP2Translation.request([("content-length", "1"), ("content-length", second)])
            #expect(isMalformed(request, endStream: false))
        }
    }

    @Test(arguments: [
        [":method": nil], [":method": ""], [":method": "GET /x HTTP/1.1"], [":method": "G T"], [":method": "GET "],
        [":method": "GE\tT"], [":scheme": "http://other.example/?"], [":scheme": "http /x"],
        [":scheme": nil], [":scheme": ""], [":scheme": "ftp"], [":scheme": "https://a.example/ HTTP/1.1\r\na: b"],
        [":path": nil], [":path": ""], [":path": "admin"], [":path": "*"], [":path": "/a b"],
        [":path": "/a HTTP/1.1"], [":path": "/a "], [":path": "/a\u{7f}"], [":path": "/a\tb"], [":path": "?a"],
        [":path": "http://a.example/"], [":path": "a.example:80"], [":path": "\\a"], [":path": "#"],
        [":authority": "user@api.example"], [":authority": "user:pw@api.example"], [":authority": "a b"],
        [":unknown": "x"], [":protocol": "websocket"], [":Method": "GET"], [":": "a"],
    ])
    func malformedPseudoFieldIsRefused(changes: [String: String?]) {
        #expect(isMalformed(.request([], changes)), "\(changes)")
    }

    private static let pseudoFields = [
        (":method", "GET"), (":scheme", "https"), (":authority", "api.example"), (":path", "/a"),
    ]

    @Test(arguments: pseudoFields)
    func pseudoFieldsComeFirstAndOnce(name: String, value: String) {
        #expect(isMalformed(.request([("a", "b"), (name, value)], [name: nil])))
        for another in [value, value + "b"] {
            var request = HTTP2Translation.request()
            request.fields.insert(HPACKField(name, another), at: 0)
            #expect(isMalformed(request), "\(another)")
        }
    }

    @Test func listWithoutPseudoFieldsIsMalformed() {
        #expect(isMalformed(HTTP2Translation([])))
        #expect(isMalformed(HTTP2Translation([("host", "a.example")])))
    }

    /// What would end a line of the HTTP/1.1 head, or begin another field or request.
    @Test(arguments: [
        "\r", "\n", "\r\n", "\0", "\r\nx-injected: 1", "\nx-injected: 1", "\r\ntransfer-encoding: chunked\r\nx: y",
        "\r\n\r\nGET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n",
    ])
    func lineEndIsMalformedAnywhere(lineEnd: String) {
        func poisoned(_ text: String) -> [String] {
            [lineEnd + text, text.prefix(2) + lineEnd + text.dropFirst(2), text + lineEnd]
        }
        for text in poisoned("x-name") {
            #expect(isMalformed(.request([(text, "1")])), "\(text)")
            #expect(isMalformed(.request([("x-a", text)])), "\(text)")
        }
        for (name, value) in Self.pseudoFields {
            for text in poisoned(value) { #expect(isMalformed(.request([], [name: text])), "\(name) \(text)") }
        }
    }

    @Test func connectAllowsOnlyAuthority() {
        #expect(isMalformed(HTTP2Translation([(":method", "CONNECT")])))
        #expect(isMalformed(HTTP2Translation([(":method", "CONNECT"), (":authority", "")])))
        #expect(isMalformed(.request([], [":method": "CONNECT"])))
        #expect(isMalformed(.request([], [":method": "CONNECT", ":protocol": "websocket", ":path": nil])))
        #expect(isMalformed(.request([], [":method": "CONNECT", ":protocol": "websocket", ":authority": nil])))
        let sized = HTTP2Translation.request(
            [("content-length", "0")],
            [":method": "CONNECT", ":protocol": "websocket"]
        )
        #expect(isMalformed(sized))
    }

    /// What is as wrong in HTTP/1.1 is left to its parser.
    @Test(arguments: [
        ("x", "a\u{1}b", 400), ("transfer_encoding", "chunked", 400), ("expect", "200-ok", 417),
        ("content_length", "1", 400),
    ])
    func remainingErrorsAreRefusedByParser(name: String, value: String, status: Int) throws {
        let text = try HTTP2Translation.request([(name, value)]).writeRequest().text
        #expect(RequestOutcome.parse(text).status == status)
    }

    /// Whatever comes, the head has the fields of the list and no others, and ends where it ends.
    @Test func randomListsAddNothing() throws {
        var random = SplitMix64(seed: 7)
        let telling = Array("ab:\r\n \t\0@*/?#%AZ_-.\u{7f}1,;=".utf8)
        func text(_ random: inout SplitMix64) -> String {
            random.oneIn(3)
                ? String(decoding: random.bytes(random.below(6), of: telling), as: UTF8.self) : "v\(random.below(9))"
        }
        let names = ["a", "cookie", "host", "content-length", "te", "x-b", "transfer-encoding", "connection"]
        var passed = 0
        for _ in 0..<6000 {
            var changes: [String: String?] = [:]
            if random.oneIn(6) { changes[":path"] = "/" + text(&random) }
            if random.oneIn(6) { changes[":authority"] = text(&random) }
            if random.oneIn(9) { changes[":method"] = text(&random) }
            let fields = (0..<random.below(5)).map { _ -> (String, String) in
                (random.oneIn(12) ? text(&random) : random.pick(names), text(&random))
            }
            let request = HTTP2Translation.request(fields, changes)
            guard let written = try? request.writeRequest(endStream: random.oneIn(2)).text else { continue }
            let outcome = RequestOutcome.parse(written)
            #expect(outcome != .incomplete)
            guard let reading = outcome.reading else { continue }
            passed += 1
            #expect(reading.length == written.utf8.count)
            #expect(reading.isClean)
            let cookies = fields.count { $0.0 == "cookie" }
            let ours = reading.names.filter { $0 == "transfer-encoding" }.count
            let hosts = fields.count { $0.0 == "host" }
            #expect(reading.fields.count == 1 + fields.count - hosts - max(0, cookies - 1) + ours)
        }
        #expect(passed > 1000)
    }
}
