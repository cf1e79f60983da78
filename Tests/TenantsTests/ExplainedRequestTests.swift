import Tenants
import TestSupport
import Testing

/// Which requests can be explained, and the head that is made for each.
struct ExplainedRequestTests {
    @Test func tokenIsSentInTheTenantsFirstSource() throws {
        for (source, expected) in [
            (TokenSource.bearer, "GET /x?a=b HTTP/1.1\r\nHost: app.test\r\nAuthorization: Bearer T\r\n\r\n"),
            (.cookie(name: "s"), "GET /x?a=b HTTP/1.1\r\nHost: app.test\r\nCookie: s=T\r\n\r\n"),
            (.header(name: "x-t"), "GET /x?a=b HTTP/1.1\r\nHost: app.test\r\nx-t: T\r\n\r\n"),
            (.query(name: "t"), "GET /x?a=b&t=T HTTP/1.1\r\nHost: app.test\r\n\r\n"),
        ] {
            let request = try ExplainedRequest(method: "GET", target: "/x?a=b", token: "T")
            #expect(request.head(for: try SampleTenant.tenant(from: [source, .bearer])) == expected)
        }
    }

    @Test func defaultHostIsTheTenantsFirst() throws {
        var tenant = try SampleTenant.tenant()
        tenant.hosts = [.oneLabelBelow("example.test"), .exact("b.test")]
        let request = try ExplainedRequest(method: "GET", target: "/x", fields: [("A", "b"), ("A", "c")])
        #expect(request.head(for: tenant) == "GET /x HTTP/1.1\r\nHost: any.example.test\r\nA: b\r\nA: c\r\n\r\n")
        let given = try ExplainedRequest(method: "GET", target: "/x", host: "h.test")
        #expect(given.head(for: tenant) == "GET /x HTTP/1.1\r\nHost: h.test\r\n\r\n")
    }

    private struct Attempt: Sendable {
        var method = "GET"
        var target = "/"
        var host: String?
        var token: String?
        var field: (name: String, value: String)?
        var address: String?

        /// The part that the error names, or `no remedy` if its remedy begins otherwise; nil if the request is valid.
        var wrongPart: String? {
            do throws(ExplainedRequest.Mistake) {
                _ = try ExplainedRequest(
                    method: method,
                    target: target,
                    host: host,
                    token: token,
                    fields: field.map { [$0] } ?? [],
                    address: address
                )
                return nil
            } catch {
                return error.remedy.hasPrefix("must ") || error.remedy.hasPrefix("cannot ") ? error.part : "no remedy"
            }
        }
    }

    @Test func invalidPartIsNamedInError() {
        let attempts: [(String?, Attempt)] = [
            (nil, Attempt(host: "a.test", token: "t", field: ("A", "b"), address: "::1")),
            ("method", Attempt(method: "G T")), ("method", Attempt(method: "")), ("path", Attempt(target: "x")),
            ("path", Attempt(target: "/ HTTP/1.1\r\n")), ("path", Attempt(target: "/x#y")),
            ("host", Attempt(host: "a\r\nb")), ("token", Attempt(token: "a b")), ("token", Attempt(token: "")),
            ("header", Attempt(field: ("A", "b\r\nC: d"))), ("header", Attempt(field: ("A b", "c"))),
            ("header", Attempt(field: ("HOST", "b"))), ("address", Attempt(address: "localhost")),
        ]
        for (part, attempt) in attempts { #expect(attempt.wrongPart == part, "\(attempt)") }
    }

    @Test func fieldIsSplitAtColon() throws {
        let field = try ExplainedRequest.field("Accept:  text/html ")
        #expect(field.name == "Accept" && field.value == "text/html ")
        #expect(throws: ExplainedRequest.Mistake.self) { try ExplainedRequest.field("Accept") }
    }
}
