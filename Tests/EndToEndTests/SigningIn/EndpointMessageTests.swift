import Demo
import Testing
import Verification

/// HTTP semantics of the gateway's own endpoints.
@Suite struct EndpointMessageTests {
    private static let discovery = "/id/.well-known/openid-configuration"
    private static let apple = "/auth/apple"
    private static let most = 64 << 10

    @Test func bodyOverLimitIsRefusedInEveryFraming() async throws {
        try await withApps(.games) { fixture, _ async throws in
            let json = ["Content-Type: application/json"]
            let client = fixture.app(.games)
            let fitting = #"{"identity_token":""# + String(repeating: "x", count: Self.most - 21) + #""}"#
            #expect(fitting.utf8.count == Self.most)
            let response = try await client.request("POST", Self.apple, fields: json, body: fitting)
            expectRefusal(response, 401, "invalid_token")

            let announced =
                "POST \(Self.apple) HTTP/1.1\r\nHost: games.localtest\r\nContent-Length: \(Self.most + 1)\r\n\r\n"
            expectRefusal(try await fixture.send(announced, method: "POST"), 413, "payload_too_large")
            let chunk = String(Self.most + 1, radix: 16) + "\r\n" + fitting + " \r\n"
            let chunked = "POST \(Self.apple) HTTP/1.1\r\nHost: games.localtest\r\nTransfer-Encoding: chunked\r\n\r\n"
            expectRefusal(try await fixture.send(chunked + chunk, method: "POST"), 413, "payload_too_large")

            let http2 = try await fixture.http2()
            let stream = try await http2.open(
                Self.apple,
                method: "POST",
                authority: "games.localtest",
                body: Array((fitting + " ").utf8)
            )
            let refused = try await http2.response(on: stream, to: "POST")
            #expect(refused.status == 413)
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    @Test func expectingClientGets100UnlessBodyIsTooLong() async throws {
        try await withApps(.games) { fixture, _ async throws in
            let head = "POST \(Self.apple) HTTP/1.1\r\nHost: games.localtest\r\nExpect: 100-continue\r\n"
            let client = try await fixture.connect()
            try await client.send(head + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n")
            let interim = try await client.head(to: "POST")
            #expect(interim.status == 100)
            expectRefusal(try await client.request("{}", method: "POST"), 401, "missing_token")

            let other = try await fixture.connect()
            let refused = try await other.request(head + "Content-Length: \(Self.most + 1)\r\n\r\n", method: "POST")
            #expect(refused.interim.isEmpty)
            expectRefusal(refused, 413, "payload_too_large")
        }
    }

    /// The body is complete when the request is forwarded, so `Expect` is dropped.
    @Test func checkedSignInIsForwardedWithoutExpect() async throws {
        try await withApps(.customer) { fixture, standIn async throws in
            let identity = try standIn.appleToken(.anna, for: "com.goumuve.app", nonce: "n")
            let body = JSONWriter.text(of: ["identity_token": .string(identity), "nonce": "n"])
            let client = try await fixture.connect()
            try await client.send(
                "POST /api/auth/apple HTTP/1.1\r\nHost: customer.localtest\r\nExpect: 100-continue\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            )
            #expect(try await client.head(to: "POST").status == 100)
            try await client.send(body)
            let response = try await client.response(to: "POST")
            #expect(response.status == 200)
            #expect(response.interim.isEmpty)
            let seen = try #require(fixture.backend.requests.last)
            #expect(seen.fields["Expect"] == [])
            #expect(seen.body.text == body)

            // In chunks, byte by byte, and over HTTP/2.
            let chunked = try await fixture.connect()
            try await chunked.drip(
                "POST /api/auth/apple HTTP/1.1\r\nHost: customer.localtest\r\nContent-Type: application/json\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n"
            )
            for part in [body.prefix(10), body.dropFirst(10)] {
                try await chunked.send(String(part.utf8.count, radix: 16) + "\r\n" + part + "\r\n")
            }
            #expect(try await chunked.request("0\r\n\r\n", method: "POST").status == 200)
            #expect(fixture.backend.requests.last?.body.text == body)
            let http2 = try await fixture.http2()
            let answer2 = try await http2.request(
                "/api/auth/apple",
                method: "POST",
                authority: "customer.localtest",
                fields: [("content-type", "application/json"), ("x-verified-subject", "spoofed")],
                body: Array(body.utf8)
            )
            #expect(answer2.status == 200)
            #expect(fixture.backend.requests.last?.body.text == body)
            #expect(fixture.backend.requests.last?.fields["X-Verified-Subject"] == [ProviderUser.anna.subject])
        }
    }

    @Test func headIsGetWithoutBody() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let client = fixture.app(.games)
            let identity = try standIn.appleToken(.anna, for: "com.example.games")
            let tokens = try GivenTokens(
                try await client.post(Self.apple, json: ["identity_token": .string(identity)]),
                fixture
            )
            for (path, token) in [
                (Self.discovery, nil), ("/id/.well-known/oauth-authorization-server", nil),
                ("/id/oauth2/jwks.json", nil), ("/auth/me", tokens.access),
            ] {
                let get = try await client.get(path, token: token)
                let head = try await client.request("HEAD", path, token: token)
                #expect(get.status == 200)
                #expect(head.status == 200, "\(path)")
                #expect(head.body.bytes.isEmpty)
                #expect(head.fields["Content-Length"] == ["\(get.body.bytes.count)"], "\(path)")
                #expect(head.fields["Content-Type"] == get.fields["Content-Type"])
                let http2 = try await fixture.http2()
                let fields = token.map { [("authorization", "Bearer \($0)")] } ?? []
                let other = try await http2.request(path, method: "HEAD", authority: "games.localtest", fields: fields)
                #expect(other.status == 200)
                #expect(other.fields["content-length"] == ["\(get.body.bytes.count)"])
            }
        }
    }

    /// HEAD has no side effects.
    @Test func headDoesNotSignInOrOut() async throws {
        try await withApps(.games) { fixture, standIn async throws in
            let client = fixture.app(.games)
            let code = try await Browser(client).code(.games, at: standIn)
            let tokens = try GivenTokens(
                try await client.post(ClientSignIn.games.tokenPath, form: ClientSignIn.games.tokenForm(code)),
                fixture
            )
            let hint = try #require(tokens.id)
            for target in [
                "/id/oauth2/logout?id_token_hint=\(hint)", "/auth/login", ClientSignIn.games.authorizeTarget(),
            ] {
                let response = try await client.request("HEAD", target)
                #expect(response.fields["Set-Cookie"] == [], "\(target)")
                #expect(response.location == nil, "\(target)")
            }
            #expect(try await client.get("/scores", token: tokens.access).status == 200)
        }
    }

    @Test func pipelinedResponsesKeepOrder() async throws {
        try await withApps(.games) { fixture, _ async throws in
            let client = try await fixture.connect()
            let host = "games.localtest"
            let texts = [
                AppClient.text("GET", Self.discovery, host: host),
                AppClient.text("POST", Self.apple, host: host, fields: ["Content-Type: application/json"], body: "{}"),
                AppClient.text("GET", "/auth/of-the-backend", host: host),
                AppClient.text("HEAD", "/id/oauth2/jwks.json", host: host),
                AppClient.text("DELETE", Self.apple, host: host, body: "abc"),
                AppClient.text("POST", "/id/oauth2/token", host: host, body: "grant_type=x"),
                AppClient.text("GET", Self.discovery, host: host),
            ]
            try await client.send(texts.joined())
            var statuses: [Int] = []
            for method in ["GET", "POST", "GET", "HEAD", "DELETE", "POST", "GET"] {
                statuses.append(try await client.response(to: method).status)
            }
            #expect(statuses == [200, 401, 200, 200, 405, 400, 200])
            #expect(fixture.backend.requests.map(\.target) == ["/auth/of-the-backend"])
        }
    }

    @Test func everyStreamOfConnectionIsAnswered() async throws {
        try await withApps(.games) { fixture, _ async throws in
            let http2 = try await fixture.http2()
            var streams: [(id: Int, status: Int)] = []
            for turn in 0..<20 {
                let isDiscovery = turn.isMultiple(of: 2)
                let id = try await http2.open(
                    isDiscovery ? Self.discovery : Self.apple,
                    method: isDiscovery ? "GET" : "POST",
                    authority: "games.localtest",
                    fields: isDiscovery ? [] : [("content-type", "application/json")],
                    body: isDiscovery ? nil : Array("{}".utf8)
                )
                streams.append((id, isDiscovery ? 200 : 401))
            }
            for (id, status) in streams { #expect(try await http2.response(on: id).status == status) }
        }
    }

    @Test func wrongMethodGetsAllow() async throws {
        try await withApps(.games) { fixture, _ async throws in
            let endpoints: [(path: String, allowed: [String])] = [
                (Self.discovery, ["get", "head"]), ("/id/oauth2/jwks.json", ["get", "head"]),
                ("/id/oauth2/token", ["post"]), ("/id/oauth2/revoke", ["post"]), ("/id/oauth2/introspect", ["post"]),
                (Self.apple, ["post"]), ("/auth/google", ["post"]), ("/auth/refresh", ["post"]),
                ("/auth/logout", ["post"]),
            ]
            for (path, allowed) in endpoints {
                for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
                where !allowed.contains(method.lowercased()) {
                    let response = try await fixture.app(.games).request(method, path)
                    #expect(response.status == 405, "\(method) \(path)")
                    #expect(response.fields.list("Allow").sorted() == allowed, "\(method) \(path)")
                }
            }
            for path in ["/id/userinfo", "/id/oauth2/authorize", "/id/oauth2/callback/google", "/auth/login"] {
                let response = try await fixture.app(.games).request("DELETE", path)
                #expect(response.status == 405, "\(path)")
                #expect(response.fields.list("Allow").sorted() == (path == "/auth/login" ? ["get"] : ["get", "post"]))
            }
            #expect(fixture.backend.requests.isEmpty)
        }
    }

    /// Two tokens in one source, of which others may read either.
    @Test func severalTokensAreRefused() async throws {
        try await withApps(.games) { fixture, _ async throws in
            let client = fixture.app(.games)
            let fields = ["Authorization: Bearer a.b.c", "Authorization: Bearer d.e.f"]
            expectRefusal(try await client.get("/auth/me", fields: fields), 400, "bad_request")
            expectRefusal(try await client.get("/auth/me", fields: ["Cookie: games=a; games=b"]), 400, "bad_request")
        }
    }
}
