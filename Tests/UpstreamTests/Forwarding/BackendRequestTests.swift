import HTTPCore
import Testing
import UpstreamTestSupport
import Verification

@testable import Tenants

/// The head that the backend gets, read by the same strict parser.
struct BackendRequestTests {
    private func pipeline(
        prefix: String? = nil,
        strips: Bool = false,
        from: [TokenSource] = [.bearer],
        token: Identity.TokenForwarding = .keep
    ) throws -> RequestPipeline {
        RequestPipeline([
            try RequestPipeline.tenant(
                prefix: prefix,
                strips: strips,
                from: from,
                access: [try RequestPipeline.rule("/open/**", .anyone)],
                identity: Identity(token: token)
            )
        ])
    }

    private func bearer(_ changes: KeyValuePairs<String, JSONValue?> = [:]) throws -> String {
        "Authorization: Bearer \(try RequestPipeline.token(changes))"
    }

    @Test func plainRequestIsForwardedWithOurFields() throws {
        let bearer = try bearer()
        let request = RequestPipeline.request(
            "/a/b?c=d&e",
            method: "PURGE",
            lines: ["Accept:  */* ", bearer, "X-Odd: \t a", "accept: b", "X-Odd:", "X-C: a,  b ;c=\"d\""]
        )
        let expected = """
            PURGE /a/b?c=d&e HTTP/1.1\r
            Host: app.test\r
            Accept:  */* \r
            \(bearer)\r
            X-Odd: \t a\r
            accept: b\r
            X-Odd:\r
            X-C: a,  b ;c="d"\r
            X-User-Id: alice\r
            X-User-Email: alice@example.test\r
            X-User-Role: customer\r
            X-Request-Id: 01234567-89ab-4def-bedc-ba9876543210\r
            traceparent: 00-00000000000000110000000000000022-0000000000000033-00\r
            X-Forwarded-For: 203.0.113.7\r
            X-Forwarded-Proto: http\r
            X-Forwarded-Host: app.test\r
            Forwarded: for=203.0.113.7;proto=http;host="app.test"\r
            Via: 1.1 gatehouse\r
            \r

            """
        let written = try #require(try pipeline().forwardedBytes(request, from: RequestPipeline.peer()))
        #expect(String(decoding: written, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        "X-User-Id: mallory", "x-user-id: mallory", "X_USER_ID: mallory", "X-User_Id:mallory", "X-User-Id:",
        "X-User-Id: mallory\r\nx-user-id: eve", "Connection: X-User-Id\r\nX-User-Id: mallory",
        "Connection: close, x-user-id", "X-User-Role: admin", "x_user_role: admin", "X-USER-EMAIL: m@evil.test",
    ])
    func spoofedIdentityIsReplaced(lines: String) throws {
        for path in ["/", "/open/x"] {
            let request = RequestPipeline.request(path, lines: [lines, try bearer()])
            let reading = try pipeline().forward(request, from: RequestPipeline.peer("203.0.113.7", trusted: true))
            #expect(reading.values("X-User-Id") == ["alice"])
            #expect(reading.values("X-User-Email") == ["alice@example.test"])
            #expect(reading.values("X-User-Role") == ["customer"])
            #expect(!reading.names.contains { $0.contains("_") })
        }
    }

    @Test func anonymousCallerHasNoIdentityFields() throws {
        let lines = ["X-User-Id: mallory", "x_user_email: m@evil.test", "Authorization: Bearer nonsense"]
        let reading = try pipeline().forward(
            RequestPipeline.request("/open/", lines: lines),
            from: RequestPipeline.peer()
        )
        #expect(!reading.names.contains { $0.hasPrefix("x-user") || $0.hasPrefix("x_user") })
        #expect(reading.values("Authorization") == ["Bearer nonsense"])
    }

    @Test func unsafeClaimOmitsHeader() throws {
        let lines = [
            try bearer(["email": "a@b\r\nX-User-Role: admin", "role": ["x,y"], "sub": "\u{e9}t\u{e9}"]),
            "X-User-Email: m@evil.test", "X-User-Role: admin",
        ]
        let reading = try pipeline().forward(RequestPipeline.request("/", lines: lines), from: RequestPipeline.peer())
        #expect(reading.values("X-User-Id") == ["\u{e9}t\u{e9}"])
        #expect(reading.values("X-User-Email").isEmpty)
        #expect(reading.values("X-User-Role").isEmpty)
    }

    @Test(arguments: [
        "Connection: close", "Keep-Alive: 5", "Proxy-Connection: close", "Proxy-Authorization: Basic x", "TE: trailers",
        "Upgrade: websocket", "HTTP2-Settings: x", "Proxy-Authenticate: x", "Connection: x-hop\r\nX-Hop: 1",
        "Connection: close, X_Hop\r\nX-Hop: 1\r\nx-hop: 2", "X-Hop: 1\r\nConnection: a\r\nConnection:x-hop",
        "Expect: 100-continue", "X_Forwarded_For: 1", "X_Real_IP: 1", "X_Request_Id: 1", "Keep_Alive: 1",
        "Proxy_Authorization: 1", "X-Real-IP: 1", "X-Forwarded-Port: 1", "X-Forwarded: 1", "tracestate: a=b",
    ])
    func hopByHopFieldsAreNotForwarded(lines: String) throws {
        let lines = lines.split(separator: "\r\n").map(String.init) + [try bearer(), "X-Stays: 1"]
        let reading = try pipeline().forward(RequestPipeline.request("/", lines: lines), from: RequestPipeline.peer())
        #expect(
            reading.names == [
                "host", "authorization", "x-stays", "x-user-id", "x-user-email", "x-user-role", "x-request-id",
                "traceparent", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded", "via",
            ]
        )
    }

    @Test func connectionCannotRemoveOurFields() throws {
        let names =
            "host, cookie, date, x-request-id, x-forwarded-for, forwarded, via, content-length, x-user-id, traceparent"
        let lines = ["Connection: \(names)", "Cookie: a=b", "Date: x", "Via: 1.1 x", "Content-Length: 3", try bearer()]
        let reading = try pipeline().forward(
            RequestPipeline.request("/", method: "PUT", lines: lines),
            from: RequestPipeline.peer()
        )
        #expect(reading.values("Host") == ["app.test"])
        #expect(reading.values("Cookie").isEmpty && reading.values("Date").isEmpty)
        #expect(reading.values("Via") == ["1.1 gatehouse"])
        #expect(reading.values("X-User-Id") == ["alice"])
        for name in ["X-Request-Id", "X-Forwarded-For", "Forwarded", "traceparent"] {
            #expect(reading.values(name).count == 1, "\(name)")
        }
        #expect(reading.framing == .length(3))
    }

    // MARK: Tokens

    @Test func strippedBearerTokenIsNotForwarded() throws {
        let lines = [try bearer(), "Cookie: a=b"]
        let reading = try pipeline(token: .strip).forward(
            RequestPipeline.request("/", lines: lines),
            from: RequestPipeline.peer()
        )
        #expect(reading.values("Authorization").isEmpty)
        #expect(reading.values("Cookie") == ["a=b"])
        #expect(reading.values("X-User-Id") == ["alice"])
    }

    @Test func onlyTokenIsRemovedFromCookies() throws {
        let token = try RequestPipeline.token()
        let pipeline = try pipeline(from: [.cookie(name: "t")], token: .strip)
        let cookies = { (lines: [String]) in
            try pipeline.forward(RequestPipeline.request("/", lines: lines), from: RequestPipeline.peer()).values(
                "Cookie"
            )
        }
        #expect(try cookies(["Cookie: a=1; t=\(token); b=\"2\""]) == ["a=1; b=\"2\""])
        #expect(try cookies(["Cookie: t=\(token)"]) == [])
        #expect(try cookies(["Cookie: t=\(token);a=1", "Cookie: b=2; t=\(token)"]) == ["a=1", "b=2"])
        #expect(try cookies(["Cookie: a=t=1; t=\"\(token)\"; tt=2"]) == ["a=t=1; tt=2"])
        #expect(try cookies(["Cookie: a=1; xt=2; t=\(token); tx=3"]) == ["a=1; xt=2; tx=3"])
        let other = ["Authorization: Bearer of-the-client", "Cookie: t=\(token)"]
        let beside = try pipeline.forward(RequestPipeline.request("/", lines: other), from: RequestPipeline.peer())
        #expect(beside.values("Authorization") == ["Bearer of-the-client"])
        let kept = try self.pipeline(from: [.cookie(name: "t")])
            .forward(RequestPipeline.request("/", lines: ["Cookie: t=\(token)"]), from: RequestPipeline.peer())
        #expect(kept.values("Cookie") == ["t=\(token)"])
    }

    /// Whoever has a cookie of single sign-on gets codes for any client.
    @Test(arguments: [Identity.TokenForwarding.keep, .strip])
    func gatewaysOwnCookiesAreNotForwarded(_ forwarding: Identity.TokenForwarding) throws {
        let token = try RequestPipeline.token()
        let pipeline = try pipeline(prefix: "/shop", from: [.cookie(name: "t")], token: forwarding)
        let own = "__Host-gatehouse-single-sign-on-AAAAAAAA=x; gatehouse-sign-in-BBBBBBBB=y"
        let lines = ["Cookie: a=1; \(own); t=\(token); my-gatehouse-x=2; gatehouse=3", "Cookie: \(own)"]
        let reading = try pipeline.forward(
            RequestPipeline.request("/shop/a", lines: lines),
            from: RequestPipeline.peer()
        )
        let kept = forwarding == .keep ? "t=\(token); " : ""
        #expect(reading.values("Cookie") == ["a=1; \(kept)my-gatehouse-x=2; gatehouse=3"])
    }

    /// They are the gateway's alone, and last for weeks.
    @Test(arguments: [Identity.TokenForwarding.keep, .strip])
    func refreshTokenOfOwnIssuerIsNotForwarded(_ forwarding: Identity.TokenForwarding) throws {
        var tenant = try RequestPipeline.tenant(identity: Identity(token: forwarding))
        tenant.refresh = RefreshRules(
            source: .cookie(name: "r"),
            call: RefreshCall(
                strategy: .builtIn,
                target: nil,
                accessToken: try #require(JSONPointer("/access_token"))
            ),
            delivery: RefreshDelivery(header: "X-T")
        )
        let lines = ["Cookie: a=1; r=secret; rr=2", try bearer()]
        let cookies = { (tenant: Tenant) in
            try RequestPipeline([tenant])
                .forward(RequestPipeline.request("/", lines: lines), from: RequestPipeline.peer())
                .values("Cookie")
        }
        #expect(try cookies(tenant) == ["a=1; rr=2"])
        // One that the backend itself refreshes.
        tenant.refresh?.call.strategy = .bearer
        #expect(try cookies(tenant) == ["a=1; r=secret; rr=2"])
    }

    @Test func onlyTokenIsRemovedFromQuery() throws {
        let token = try RequestPipeline.token()
        let pipeline = try pipeline(from: [.query(name: "t")], token: .strip)
        let target = { (query: String) in
            String(
                decoding: try pipeline.forward(RequestPipeline.request("/a\(query)"), from: RequestPipeline.peer())
                    .target,
                as: UTF8.self
            )
        }
        #expect(try target("?t=\(token)") == "/a")
        #expect(try target("?a=1&t=\(token)&b=2") == "/a?a=1&b=2")
        #expect(try target("?t=\(token)&a") == "/a?a")
        #expect(try target("?a=1&t=\(token)&t=\(token)") == "/a?a=1")
        #expect(try target("?tt=1&t=\(token)") == "/a?tt=1")
        #expect(try target("?%74=\(token)&b") == "/a?b")
        #expect(try target("?a=t&t=\(token)&b=%41") == "/a?a=t&b=%41")
        let kept = try self.pipeline(from: [.query(name: "t")])
            .forward(RequestPipeline.request("/a?t=\(token)"), from: RequestPipeline.peer())
        #expect(String(decoding: kept.target, as: UTF8.self) == "/a?t=\(token)")
    }

    @Test func headerTokenIsRemovedInEverySpelling() throws {
        let lines = ["X-Token: \(try RequestPipeline.token())", "x_token: other", "X-Tokens: stays"]
        let pipeline = try pipeline(from: [.header(name: "x-token")], token: .strip)
        let reading = try pipeline.forward(RequestPipeline.request("/", lines: lines), from: RequestPipeline.peer())
        #expect(!reading.names.contains("x-token") && !reading.names.contains("x_token"))
        #expect(reading.values("X-Tokens") == ["stays"])
    }

    // MARK: Target and host

    @Test(arguments: [
        ("/a//b;x?q", "/a//b;x?q"), ("/%61/./b", "/a/b"), ("//a", "/a"), ("/x/../a?b=%2e", "/a?b=%2e"), ("/?", "/?"),
        ("http://app.test", "/"), ("http://app.test?q", "/?q"), ("http://app.test/a/../b", "/b"),
        ("/a?x=/../y", "/a?x=/../y"), ("/a?x=%2f%5c%00", "/a?x=%2f%5c%00"), ("/a?b?c=%41", "/a?b?c=%41"),
        ("/a?//", "/a?//"), ("/a?%zz", "/a?%zz"), ("/a?t=&&;b", "/a?t=&&;b"),
    ])
    func matchedTargetIsForwarded(target: String, expected: String) throws {
        let reading = try pipeline().forward(
            RequestPipeline.request(target, lines: [try bearer()]),
            from: RequestPipeline.peer()
        )
        #expect(String(decoding: reading.target, as: UTF8.self) == expected)
    }

    @Test func asteriskFormIsForwarded() throws {
        let request = RequestPipeline.request("*", method: "OPTIONS", lines: [try bearer()])
        #expect(try pipeline().forward(request, from: RequestPipeline.peer()).target == [UInt8(ascii: "*")])
    }

    @Test(arguments: [
        ("/shop", "/"), ("/shop/", "/"), ("/shop?q", "/?q"), ("/shop/a", "/a"), ("/shop/shop", "/shop"),
        ("/%73hop/%61", "/a"), ("/x/../shop/b", "/b"), ("/shop/a//b", "/a//b"), ("/shop/a?b=/shop", "/a?b=/shop"),
        ("/sh%6Fp/a%20b", "/a%20b"),
    ])
    func prefixIsStripped(target: String, expected: String) throws {
        let pipeline = try pipeline(prefix: "/shop", strips: true)
        let reading = try pipeline.forward(
            RequestPipeline.request(target, lines: [try bearer()]),
            from: RequestPipeline.peer()
        )
        #expect(String(decoding: reading.target, as: UTF8.self) == expected)
    }

    /// The prefix is written decoded, while the path may come with escapes that are kept.
    @Test(arguments: [
        ("/@org", "/%40org/admin"), ("/@org", "/@org/admin"), ("/caf\u{e9}", "/caf%C3%A9/admin"),
        ("/a+b", "/a%2bb/admin"),
    ])
    func escapedPrefixIsStripped(prefix: String, target: String) throws {
        let pipeline = try pipeline(prefix: prefix, strips: true)
        let reading = try pipeline.forward(
            RequestPipeline.request(target, lines: [try bearer()]),
            from: RequestPipeline.peer()
        )
        #expect(String(decoding: reading.target, as: UTF8.self) == "/admin")
    }

    /// Some parsers would read a host after it.
    @Test(arguments: [("/shop//host/a", "/host/a"), ("/shop//", "/"), ("/shop///a", "/a")])
    func strippedPathStartsWithOneSlash(target: String, expected: String) throws {
        let pipeline = try pipeline(prefix: "/shop", strips: true)
        let reading = try pipeline.forward(
            RequestPipeline.request(target, lines: [try bearer()]),
            from: RequestPipeline.peer()
        )
        #expect(String(decoding: reading.target, as: UTF8.self) == expected)
    }

    @Test func prefixIsKeptByDefault() throws {
        let reading = try pipeline(prefix: "/shop").forward(
            RequestPipeline.request("/shop/a", lines: [try bearer()]),
            from: RequestPipeline.peer()
        )
        #expect(String(decoding: reading.target, as: UTF8.self) == "/shop/a")
    }

    @Test func absoluteTargetReplacesHost() throws {
        let request = RequestPipeline.request("http://App.Test:81/a", host: "other.test", lines: [try bearer()])
        let reading = try pipeline().forward(request, from: RequestPipeline.peer())
        #expect(reading.values("Host") == ["App.Test:81"])
        #expect(reading.values("X-Forwarded-Host") == ["App.Test:81"])
    }

    @Test func http10BecomesHTTP11WithVia() throws {
        let request = RequestPipeline.request("/", version: "1.0", lines: [try bearer(), "Via: 1.0 first"])
        let reading = try pipeline().forward(request, from: RequestPipeline.peer())
        #expect(reading.minorVersion == 1)
        #expect(reading.values("Via") == ["1.0 first", "1.0 gatehouse"])
    }

    // MARK: Framing

    @Test(arguments: [
        ("Content-Length: 007", RequestFraming.length(7)), ("Content-Length: 0", .length(0)),
        ("transfer-encoding: CHUNKED", .chunked), ("A: b", .none),
    ])
    func framingIsRewritten(line: String, framing: RequestFraming) throws {
        let reading = try pipeline().forward(
            RequestPipeline.request("/", method: "PUT", lines: [line, try bearer()]),
            from: RequestPipeline.peer()
        )
        #expect(reading.framing == framing)
        #expect(
            reading.values("Content-Length") == (framing == .length(7) ? ["7"] : framing == .length(0) ? ["0"] : [])
        )
        #expect(reading.values("Transfer-Encoding") == (framing == .chunked ? ["chunked"] : []))
    }

    @Test func expectationIsForwardedWithBody() throws {
        let lines = ["Expect: 100-continue", "Content-Length: 3", try bearer()]
        #expect(
            try pipeline().forward(
                RequestPipeline.request("/", method: "PUT", lines: lines),
                from: RequestPipeline.peer()
            ).expectsContinue
        )
    }
}
