import TestSupport
import Testing

@testable import HTTPCore

struct RequestHostTests {
    private func name(_ text: String) throws(HTTPViolation) -> String {
        let bytes = Array("x\(text)y".utf8)
        var name = Array("left over".utf8)
        try RequestHost.read(bytes.span, 1..<(bytes.count - 1), into: &name)
        return String(decoding: name, as: UTF8.self)
    }

    @Test(arguments: [
        ("a", "a"), ("App.Test", "app.test"), ("app.test:8080", "app.test"), ("app.test:", "app.test"),
        ("app.test.", "app.test"), ("app.test.:443", "app.test"), ("127.0.0.1:65535", "127.0.0.1"),
        ("a_b-c.d", "a_b-c.d"), ("[::1]", "[::1]"), ("[::1]:80", "[::1]"), ("[2001:DB8::A]", "[2001:db8::a]"),
        ("[::ffff:1.2.3.4]:", "[::ffff:1.2.3.4]"), ("a:00080", "a"), ("a:0", "a"),
    ])
    func hostIsReadWithoutPort(text: String, expected: String) throws {
        #expect(try name(text) == expected)
    }

    @Test(arguments: [
        "", ":80", ".", ".:80", "a b", "a,b", "a@b", "user:pw@a", "a%41", "a/b", "a?b", "a\\b", "\u{e9}", "a\t", "a:b",
        "a:65536", "a:123456", "a:-1", "a:80:80", "a: 80", "[", "[]", "[::1", "[::1]x", "[::1]x:80", "[[::1]]", "[g::]",
        "::1", "]", "[::1]]", "[fe80::1%25eth0]", "a[::1]", "a;b", "a'b", "(a)", "*",
    ])
    func invalidHostIsBadRequest(text: String) {
        do throws(HTTPViolation) {
            let read = try name(text)
            Issue.record("read as \(read)")
        } catch {
            #expect(error.status == 400)
        }
    }

    @Test func hostLengthIsBounded() throws {
        let longest = String(repeating: "a", count: 255)
        #expect(try name(longest + ":65535") == longest)
        #expect(throws: HTTPViolation.self) { try name(longest + "aa:65535") }
    }
}
