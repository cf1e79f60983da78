import Testing

@testable import ExtAuthz
@testable import ExtAuthzMessages

/// What Envoy describes, as the head that is judged.
@Suite struct AskedHeadTests {
    @Test func headIsWrittenAsHTTP1() {
        let request = asked([AuthzField("accept", "*/*"), AuthzField("cookie", "a=b")])
        #expect(
            text(request)
                == """
                GET /a?b=c HTTP/1.1\r
                Host: app.test\r
                accept: */*\r
                cookie: a=b\r
                X-Forwarded-For: 192.0.2.7\r
                X-Forwarded-Proto: https\r
                \r\n
                """
        )
    }

    @Test func pseudoHeaderFieldsThatAgreeAreLeftOut() {
        let pseudo = [
            AuthzField(":method", "GET"), AuthzField(":path", "/a?b=c"), AuthzField(":authority", "app.test"),
            AuthzField(":scheme", "https"), AuthzField("host", "app.test"),
        ]
        #expect(text(asked(pseudo)) == text(asked([])))
    }

    @Test(
        arguments: [
            AuthzField(":method", "POST"), AuthzField(":path", "/admin"), AuthzField(":authority", "other.test"),
            AuthzField("host", "other.test"), AuthzField("Host", "other.test"), AuthzField(":status", "200"),
            AuthzField("", "nameless"), AuthzField(":", "nameless"), AuthzField("x y", "1"), AuthzField("x:y", "1"),
            AuthzField("x\r\nauthorization", "1"), AuthzField("x", "1\r\nauthorization: Bearer t"),
            AuthzField("x", "1\nauthorization: Bearer t"), AuthzField("x", "1\rauthorization"), AuthzField("x", "\0"),
            AuthzField("x\u{e9}", "1"),
        ]
    )
    func contradictingOrMalformedFieldIsRefused(_ field: AuthzField) {
        #expect(asked([field]).head() == nil)
    }

    @Test(
        arguments: [
            "", "/a b", "/a HTTP/1.1\r\nHost: other.test\r\nx:", "/a\n", "/\u{e9}", "/\0", " /",
            "http://other.test/a", "app.test:443", "?a=/",
        ]
    )
    func malformedPathIsRefused(_ path: String) {
        var request = asked([])
        request.path = Array(path.utf8)
        #expect(request.head() == nil)
    }

    @Test(arguments: ["", "GET /admin HTTP/1.1\r\n", "G T", "GET\t"])
    func malformedMethodIsRefused(_ method: String) {
        var request = asked([])
        request.method = Array(method.utf8)
        #expect(request.head() == nil)
    }

    @Test(arguments: ["", "app.test\r\nx: y", "app test"])
    func malformedHostIsRefused(_ host: String) {
        var request = asked([])
        request.host = Array(host.utf8)
        #expect(request.head() == nil)
    }

    @Test func fieldsInBothFormsAreRefused() throws {
        let message = Envoy_Service_Auth_V3_CheckRequest.with {
            $0.attributes.request.http.method = "GET"
            $0.attributes.request.http.path = "/"
            $0.attributes.request.http.host = "app.test"
            $0.attributes.request.http.headers["x"] = "1"
        }
        #expect(try message.read().head() != nil)
        var both = message
        both.attributes.request.http.headerMap.headers = [.with { $0.key = "x" }]
        #expect(try both.read().head() == nil)
        var twoValues = message
        twoValues.attributes.request.http.headers = [:]
        twoValues.attributes.request.http.headerMap.headers = [
            .with {
                $0.key = "x"
                $0.value = "1"
                $0.rawValue = .init([0x32])
            }
        ]
        #expect(try twoValues.read().head() == nil)
    }

    @Test func rawFieldsKeepTheirOrderAndTheirCopies() throws {
        let message = Envoy_Service_Auth_V3_CheckRequest.with {
            $0.attributes.request.http.method = "GET"
            $0.attributes.request.http.path = "/"
            $0.attributes.request.http.host = "app.test"
            $0.attributes.request.http.headerMap.headers = ["b", "a", "b"].map { name in
                .with {
                    $0.key = name
                    $0.rawValue = .init([0x31])
                }
            }
        }
        #expect(text(try message.read()) == "GET / HTTP/1.1\r\nHost: app.test\r\nb: 1\r\na: 1\r\nb: 1\r\n\r\n")
    }

    // MARK: Who the client is

    @Test func sourceIsAppendedToTheClientsAddresses() {
        let head = text(asked([AuthzField("x-forwarded-for", "10.0.0.1"), AuthzField("X-Forwarded-For", "10.0.0.2")]))
        #expect(head?.contains("\r\nX-Forwarded-For: 10.0.0.1, 10.0.0.2, 192.0.2.7\r\n") == true)
        #expect(head?.split(separator: "orwarded-").count == 3)
    }

    @Test(arguments: [nil, "", "unknown", "10.0.0.9, 10.0.0.8", "10.0.0.9\r\nx: y"])
    func missingSourceIsUntrusted(_ source: String?) {
        var request = asked([AuthzField("x-forwarded-for", "10.0.0.1")])
        request.source = source.map { Array($0.utf8) }
        #expect(text(request)?.contains("10.0.0") == false)
    }

    @Test func otherProxyFieldsAreLeftOut() {
        let said = ["x-forwarded-host", "X-Forwarded-Proto", "x-forwarded-prefix", "forwarded"]
        #expect(text(asked(said.map { AuthzField($0, "evil") })) == text(asked([])))
    }

    @Test func schemeIsHTTPOrHTTPSOrOmitted() {
        var request = asked([])
        request.scheme = []
        #expect(text(request)?.contains("Proto") == false)
        request.scheme = Array("gopher".utf8)
        #expect(request.head() == nil)
    }

    private func asked(_ fields: [AuthzField]) -> QueriedRequest {
        QueriedRequest(
            method: Array("GET".utf8),
            path: Array("/a?b=c".utf8),
            host: Array("app.test".utf8),
            scheme: Array("https".utf8),
            version: "HTTP/1.1",
            fields: fields,
            source: Array("192.0.2.7".utf8)
        )
    }

    private func text(_ request: QueriedRequest) -> String? {
        request.head().map { String(decoding: $0, as: UTF8.self) }
    }
}
