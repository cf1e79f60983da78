import Testing
import Verification

/// `revoke_on`: a request with a success response ends its session.
@Suite struct SignOutTests {
    static let setup = GatewaySetup(
        tenant: """
            revoke_on: ["POST /logout", "DELETE /open/session/*"]
            """
    )

    /// The query selects the backend's response.
    private static let script = BackendScript { exchange in
        try await exchange.body()
        switch exchange.head.target.split(separator: "?").last {
        case "fail": try await exchange.send("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n")
        case "found": try await exchange.send("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")
        case "close":
            try await exchange.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsigned out")
            await exchange.close()
        case "empty": try await exchange.send("HTTP/1.1 204 No Content\r\n\r\n")
        case "chunked":
            try await exchange.send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nsigned\r\n4\r\n out\r\n0\r\n\r\n"
            )
        default: try await exchange.sendOK()
        }
    }

    private func withPipeline(_ test: (GatewayFixture) async throws -> Void) async throws {
        try await withGateway(Self.setup, backend: Self.script, test)
    }

    @Test func tokenIsRefusedAfterBackendSignedItOut() async throws {
        try await withPipeline { fixture async throws in
            let token = try fixture.token(["jti": "t1"])
            #expect(try await fixture.request("/x", token: token).status == 200)
            #expect(try await fixture.request("/logout", method: "POST", token: token).body.text == "ok")
            let refused = try await fixture.request("/x", token: token)
            expectRefusal(refused, 401, "token_revoked")
            let challenge = refused.fields["WWW-Authenticate"].first ?? ""
            #expect(challenge.hasPrefix("Bearer realm=\"app\", error=\"invalid_token\""))
            // Another token of the same subject stays valid.
            #expect(try await fixture.request("/x", token: try fixture.token(["jti": "t2"])).status == 200)
        }
    }

    @Test(arguments: ["empty", "chunked", "close"])
    func everySuccessFramingEndsSession(_ form: String) async throws {
        try await withPipeline { fixture async throws in
            let token = try fixture.token(["jti": "t1"])
            let client = try await fixture.connect()
            try await client.send(fixture.head("/logout?\(form)", method: "POST", token: token))
            let response = try await client.response(to: "POST")
            #expect(response.body.text == (form == "empty" ? "" : "signed out"))
            // On the same connection, which caches the token.
            expectRefusal(try await client.request(fixture.head("/x", token: token)), 401, "token_revoked")
        }
    }

    @Test func otherMethodsAndPathsDoNotSignOut() async throws {
        try await withPipeline { fixture async throws in
            let token = try fixture.token(["jti": "t1"])
            for (method, path) in [("GET", "/logout"), ("POST", "/logout/x"), ("POST", "/open/session/1")] {
                #expect(try await fixture.request(path, method: method, token: token).status == 200)
            }
            #expect(try await fixture.request("/x", token: token).status == 200)
            // Rules match the decoded path.
            #expect(try await fixture.request("/x/../%6cogout", method: "POST", token: token).status == 200)
            expectRefusal(try await fixture.request("/x", token: token), 401, "token_revoked")
        }
    }

    @Test func openPathSignsOutAndThenIgnoresToken() async throws {
        try await withPipeline { fixture async throws in
            let token = try fixture.token(["jti": "t1", "sub": "alice"])
            #expect(try await fixture.request("/open/session/7", method: "DELETE", token: token).status == 200)
            #expect(try await fixture.request("/open/x", token: token).status == 200)
            let seen = try #require(fixture.backend.requests.last)
            #expect(seen.head.fields["X-User-Id"].isEmpty)
            expectRefusal(try await fixture.request("/x", token: token), 401, "token_revoked")
        }
    }

    @Test func signingOutOverHTTP2HoldsForBothProtocols() async throws {
        try await withPipeline { fixture async throws in
            let token = try fixture.token(["jti": "t1"])
            let client = try await fixture.http2()
            let fields = [("authorization", "Bearer \(token)")]
            #expect(
                try await client.request("/logout?chunked", method: "POST", fields: fields).body.text == "signed out"
            )
            expectRefusal(try await client.request("/x", fields: fields), 401, "token_revoked")
            expectRefusal(try await fixture.request("/x", token: token), 401, "token_revoked")
        }
    }

    @Test(arguments: ["whole", "trailers", "empty"])
    func signOutWorksWithHTTP2Server(_ form: String) async throws {
        try await withHTTP2Backend(
            { call in
                try await call.body()
                guard call.path == "/logout" else { return try await call.respond() }
                switch form {
                case "whole": try await call.respond("signed out")
                case "empty": try await call.head(204, end: true)
                default:
                    try await call.head(200)
                    try await call.data(Array("signed".utf8))
                    try await call.data(Array(" out".utf8))
                    try await call.trailers([("x-after", "1")])
                }
            },
            tenant: #"revoke_on: ["POST /logout"]"#
        ) { fixture, _ async throws in
            let token = try fixture.token(["jti": "t1"])
            let response = try await fixture.request("/logout", method: "POST", token: token)
            #expect(response.body.text == (form == "empty" ? "" : "signed out"))
            expectRefusal(try await fixture.request("/x", token: token), 401, "token_revoked")
        }
    }
}
