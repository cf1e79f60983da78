import Foundation
import Testing
import Verification

/// One JSON object a request.
@Suite struct AccessLogTests {
    private static let members: Set<String> = [
        "time", "request_id", "tenant", "method", "path", "status", "bytes", "duration_ms", "overhead_ms", "outcome",
        "subject", "refreshed", "backend", "server", "protocol", "remote",
    ]

    @Test func forwardedRequestHasExactlyNamedMembers() async throws {
        try await withGateway { fixture async throws in
            _ = try await fixture.request("/x/y?z=1", method: "PUT", token: try fixture.token())
            let line = try await fixture.accessLog.next()
            #expect(Set(line.members.map(\.name)) == Self.members)
            #expect(line["tenant"] == "app")
            #expect(line["method"] == "PUT")
            #expect(line["path"] == "/x/y")
            #expect(line["status"] == 200)
            #expect(line["subject"] == "alice")
            #expect(line["protocol"] == "HTTP/1.1")
            #expect(line["refreshed"] == false)
            #expect(try #require(line["bytes"]?.double) >= 2)
            #expect(line["server"]?.string?.contains("127.0.0.1:\(fixture.backend.port)") == true)
            #expect(line["remote"]?.string?.hasPrefix("127.0.0.1") == true)
            let duration = try #require(line["duration_ms"]?.double)
            let overhead = try #require(line["overhead_ms"]?.double)
            #expect(duration >= overhead && overhead >= 0)
        }
    }

    @Test func timeIsCurrent() async throws {
        try await withGateway { fixture async throws in
            _ = try await fixture.request("/open/x")
            let text = try #require(try await fixture.accessLog.next()["time"]?.string)
            let time = try Date(
                text,
                strategy: .iso8601.year().month().day().time(includingFractionalSeconds: text.contains("."))
            )
            #expect(abs(time.timeIntervalSinceNow) < 120)
        }
    }

    @Test func refusalIsLoggedWithItsCode() async throws {
        try await withGateway { fixture async throws in
            let refusals: [(path: String, host: String, status: JSONValue, outcome: JSONValue)] = [
                ("/x", "app.test", 401, "missing_token"), ("/open/%2f", "app.test", 400, "ambiguous_path"),
                ("/x", "elsewhere.test", 404, "unknown_host"),
            ]
            for refusal in refusals {
                _ = try await fixture.request(refusal.path, host: refusal.host)
                let line = try await fixture.accessLog.next()
                #expect(line["status"] == refusal.status)
                #expect(line["outcome"] == refusal.outcome)
                #expect(line["server"]?.string == nil)
                #expect(line["subject"]?.string == nil)
            }
        }
    }

    @Test func backendsFailureIsLoggedWithItsCode() async throws {
        try await withGateway(GatewaySetup(tenant: "backend: { servers: [\"{nobody}\"] }")) { fixture async throws in
            _ = try await fixture.request("/x", token: try fixture.token())
            let line = try await fixture.accessLog.next()
            #expect(line["status"] == 503)
            #expect(line["subject"] == "alice")
        }
    }

    @Test func unparsedRequestIsLogged() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.connect()
            #expect(try await client.request("GET /open/x HTTP/1.1\r\nHost : app.test\r\n\r\n").status == 400)
            #expect(try await fixture.accessLog.next()["status"] == 400)
        }
    }

    @Test func pipelinedRequestsAreLoggedOneByOne() async throws {
        try await withGateway { fixture async throws in
            let client = try await fixture.connect()
            try await client.send((0..<5).map { fixture.head("/open/\($0)") }.joined())
            var identifiers: Set<String> = []
            for number in 0..<5 {
                _ = try await client.response()
                let line = try await fixture.accessLog.next()
                #expect(line["path"]?.string == "/open/\(number)")
                identifiers.insert(line["request_id"]?.string ?? "")
            }
            #expect(identifiers.count == 5)
        }
    }

    @Test func requestCannotForgeLogLine() async throws {
        try await withGateway { fixture async throws in
            let path = "/open/%22%7D%0A%7B%22status%22:200,%22x%22:%22%E2%82%AC"
            _ = try await fixture.request(path, method: "A'B")
            let line = try await fixture.accessLog.next()
            #expect(line["method"] == "A'B")
            #expect(line["path"]?.string?.hasPrefix("/open/") == true)
            _ = try await fixture.request("/open/after")
            #expect(try await fixture.accessLog.next()["path"] == "/open/after")
        }
    }

    @Test func neitherQueryNorTokensNorCookiesAreLogged() async throws {
        let setup = GatewaySetup(
            tenant: """
                authenticate: { from: [bearer, "cookie:session", "query:token", "header:X-Token"], issuers: [ \(TestIssuer.entry) ] }
                """
        )
        try await withGateway(setup) { fixture async throws in
            let cookie = fixture.keepSecret("a-cookie-of-the-client")
            let query = fixture.keepSecret("a-query-of-the-client")
            let tokens = [
                try fixture.token(), try fixture.token(["exp": TestIssuer.fromNow(-3600)]),
                try fixture.token(algorithm: .rs256, key: fixture.issuer.stranger),
                fixture.keepSecret("not-even-a-token"),
            ]
            for token in tokens {
                _ = try await fixture.request("/x?q=\(query)", token: token, fields: ["Cookie: other=\(cookie)"])
                _ = try await fixture.request("/x?q=\(query)", fields: ["Cookie: other=\(cookie); session=\(token)"])
                _ = try await fixture.request("/x?q=\(query)&token=\(token)")
                _ = try await fixture.request("/x", fields: ["X-Token: \(token)"])
                _ = try await fixture.request("/open/x?token=\(token)", token: token)
                _ = try await fixture.send("GET /x?token=\(token) HTTP/1.1\r\nAuthorization : Bearer \(token)\r\n\r\n")
            }
            for _ in 0..<(6 * tokens.count) { _ = try await fixture.accessLog.next() }
            // The fixture searches all logs for secrets when it closes.
            #expect(!fixture.accessLog.text.contains("?"))
        }
    }

    @Test func queryIsLoggedWithoutTokens() async throws {
        let setup = GatewaySetup(
            gateway: "log: { level: info, query: true }",
            tenant: """
                authenticate: { from: [bearer, "query:ours"], issuers: [ \(TestIssuer.entry) ] }
                """
        )
        try await withGateway(setup) { fixture async throws in
            let token = try fixture.token()
            let code = fixture.keepSecret("a-code-of-the-client")
            for (query, logged) in [
                ("?page=2&ours=\(token)", "?page=2&ours=<redacted>"), ("?code=\(code)&x", "?code=<redacted>&x"),
                ("", ""),
            ] {
                _ = try await fixture.request("/x/y\(query)", token: query.contains("ours") ? nil : token)
                #expect(try await fixture.accessLog.next()["path"]?.string == "/x/y\(logged)")
            }
            // A reload turns it off.
            var quiet = setup
            quiet.gateway = "log: { level: info }"
            await fixture.change(quiet)
            _ = try await fixture.request("/x/y?page=3", token: token)
            #expect(try await fixture.accessLog.next()["path"]?.string == "/x/y")
        }
    }

    @Test func logCanBeTurnedOff() async throws {
        try await withGateway(GatewaySetup(gateway: "log: { level: info, access: false }")) { fixture async throws in
            for _ in 0..<3 { _ = try await fixture.request("/open/x") }
            await fixture.shutdown()
            #expect(fixture.accessLog.text.isEmpty)
        }
    }
}
