import TestSupport
import Testing

@testable import HTTPCore

struct RequestTargetTests {
    struct Parts: Equatable, Sendable {
        var authority: String?
        var path: String
        var query = ""
        var isAsterisk = false
    }

    private func parts(_ target: String, method: String = "GET") throws(HTTPViolation) -> Parts {
        let bytes = Array((method + " " + target).utf8)
        let read = try RequestTarget(
            bytes.span,
            method: 0..<method.utf8.count,
            target: (method.utf8.count + 1)..<bytes.count
        )
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        return Parts(
            authority: read.authority.map(text),
            path: text(read.path),
            query: text(read.query),
            isAsterisk: read.isAsterisk
        )
    }

    @Test(arguments: [
        ("/", Parts(path: "/")), ("/a/b?c=d", Parts(path: "/a/b", query: "?c=d")), ("/?", Parts(path: "/", query: "?")),
        ("/a??b?c", Parts(path: "/a", query: "??b?c")), ("//host/a", Parts(path: "//host/a")),
        ("/http://x/", Parts(path: "/http://x/")),
        ("http://a.test/b?c", Parts(authority: "a.test", path: "/b", query: "?c")),
        ("HTTP://a.test:80/", Parts(authority: "a.test:80", path: "/")),
        ("https://a.test", Parts(authority: "a.test", path: "")),
        ("http://a.test?q", Parts(authority: "a.test", path: "", query: "?q")),
        ("http://u@a.test/", Parts(authority: "u@a.test", path: "/")), ("http:///a", Parts(authority: "", path: "/a")),
    ])
    func targetIsParsed(target: String, expected: Parts) throws {
        #expect(try parts(target) == expected)
    }

    @Test func asteriskIsForOptionsOnly() throws {
        #expect(try parts("*", method: "OPTIONS") == Parts(path: "", isAsterisk: true))
        #expect(throws: HTTPViolation.self) { try parts("*") }
        #expect(throws: HTTPViolation.self) { try parts("*", method: "options") }
        #expect(throws: HTTPViolation.self) { try parts("*a", method: "OPTIONS") }
    }

    @Test(arguments: [
        "a.test:80", "ftp://a/", "http:/a", "http:", "http://", "https://", "a", "?q", "*/", "httpx://a/",
    ])
    func invalidTargetIsBadRequest(target: String) {
        do throws(HTTPViolation) {
            let read = try parts(target)
            Issue.record("read as \(read)")
        } catch {
            #expect(error.status == 400)
        }
    }

    @Test(arguments: ["CONNECT", "TRACE"])
    func connectAndTraceAre405(method: String) {
        do throws(HTTPViolation) {
            let read = try parts("/", method: method)
            Issue.record("read as \(read)")
        } catch {
            #expect(error.status == 405)
        }
    }

    @Test func methodsAreCaseSensitive() throws {
        #expect(try parts("/", method: "trace").path == "/")
    }
}
