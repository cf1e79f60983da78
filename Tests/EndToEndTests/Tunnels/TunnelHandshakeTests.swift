import Testing
import Verification

/// A WebSocket is authorized before its 101, and only a valid handshake opens one (RFC 6455 section 4.2).
@Suite struct TunnelHandshakeTests {
    private static func ask(
        _ fixture: GatewayFixture,
        _ target: String = "/open/socket",
        method: String = "GET",
        token: String? = nil,
        fields: [String] = Handshake.fields
    ) async throws -> RawResponse {
        try await fixture.request(target, method: method, token: token, fields: fields)
    }

    // MARK: The decision

    @Test func handshakeWithoutTokenNeverReachesBackend() async throws {
        try await withGateway(backend: TunnelBackend().script) { fixture async throws in
            expectChallenge(try await Self.ask(fixture, "/socket"), 401, "missing_token", error: nil)
            #expect(fixture.backend.connections == 0)
        }
    }

    @Test func badTokenOpensNoTunnel() async throws {
        try await withGateway(backend: TunnelBackend().script) { fixture async throws in
            let expired = try fixture.token(["exp": TestIssuer.fromNow(-3600)])
            let forged = try fixture.token(algorithm: .rs256, key: fixture.issuer.stranger)
            expectChallenge(
                try await Self.ask(fixture, "/socket", token: expired),
                401,
                "token_expired",
                error: "invalid_token"
            )
            expectChallenge(
                try await Self.ask(fixture, "/socket", token: forged),
                401,
                "invalid_token",
                error: "invalid_token"
            )
            #expect(fixture.backend.connections == 0)
        }
    }

    @Test func connectionContinuesAfterRefusedHandshake() async throws {
        try await withGateway(backend: TunnelBackend().script) { fixture async throws in
            let client = try await fixture.connect()
            #expect(try await client.request(fixture.head("/socket", fields: Handshake.fields)).status == 401)
            #expect(try await client.request(fixture.head("/open/x")).body.text == "ok")
        }
    }

    @Test func accessRulesApplyToTunnels() async throws {
        let setup = GatewaySetup(
            tenant: """
                access:
                  - { path: /open/**, allow: anyone }
                  - { path: /staff/**, allow: { roles: [staff] } }
                """
        )
        let upstream = TunnelBackend()
        try await withGateway(setup, backend: upstream.script) { fixture async throws in
            let guest = try fixture.token(["role": "guest"])
            let staff = try fixture.token(["role": "staff"])
            let refused = try await Self.ask(fixture, "/staff/socket", token: guest)
            expectChallenge(refused, 403, "insufficient_role", error: "insufficient_scope")
            // The matched path is the forwarded one, so no spelling bypasses the rule.
            let spelled = try await Self.ask(fixture, "/open/../staff/socket")
            expectChallenge(spelled, 401, "missing_token", error: nil)
            #expect(fixture.backend.connections == 0)
            try await fixture.withTunnel(upstream, "/staff/socket", token: staff) { try await $0.expectOpen() }
        }
    }

    @Test func identityArrivesWithHandshake() async throws {
        let setup = GatewaySetup(tenant: "identity: { headers: { X-User-Id: sub }, token: strip }")
        let upstream = TunnelBackend()
        try await withGateway(setup, backend: upstream.script) { fixture async throws in
            let fields = Handshake.fields + ["X-User-Id: mallory", "x_user_id: mallory"]
            try await fixture.withTunnel(upstream, "/socket", token: try fixture.token(), fields: fields) {
                tunnel async throws in
                #expect(tunnel.server.head.fields["X-User-Id"] == ["alice"])
                #expect(tunnel.server.head.fields["x_user_id"] == [])
                #expect(tunnel.server.head.fields["Authorization"] == [])
            }
        }
    }

    // MARK: Forwarding

    @Test func handshakeArrivesUnchanged() async throws {
        let upstream = TunnelBackend(fields: "X-Of-The-Backend: yes\r\n")
        try await withGateway(backend: upstream.script) { fixture async throws in
            let fields =
                Handshake.fields + ["Origin: https://app.example", "Sec-WebSocket-Extensions: permessage-deflate"]
            try await fixture.withTunnel(upstream, "/open/socket?room=7", fields: fields) { tunnel async throws in
                let head = tunnel.server.head
                #expect(head.method == "GET" && head.target == "/open/socket?room=7" && head.version == "HTTP/1.1")
                #expect(head.fields["Upgrade"] == ["websocket"])
                #expect(head.fields.list("Connection") == ["upgrade"])
                #expect(head.fields["Sec-WebSocket-Key"] == [Handshake.key])
                #expect(head.fields["Sec-WebSocket-Version"] == ["13"])
                #expect(head.fields["Sec-WebSocket-Extensions"] == ["permessage-deflate"])
                #expect(head.fields["Origin"] == ["https://app.example"])
                #expect(head.fields["X-Forwarded-Host"] == ["app.test"])
                #expect(tunnel.client.response.fields["X-Of-The-Backend"] == ["yes"])
            }
        }
    }

    // MARK: Bad handshakes

    @Test func unsupportedVersionGets426() async throws {
        try await withGateway(backend: TunnelBackend().script) { fixture async throws in
            let fields = Handshake.fields(without: "Sec-WebSocket-Version", and: ["Sec-WebSocket-Version: 8"])
            let response = try await Self.ask(fixture, fields: fields)
            expectRefusal(response, 426, "bad_request")
            #expect(response.fields["Sec-WebSocket-Version"] == ["13"])
            #expect(fixture.backend.connections == 0)
        }
    }

    @Test func badKeyIsRefused() async throws {
        try await withGateway(backend: TunnelBackend().script) { fixture async throws in
            let fields = Handshake.fields(without: "Sec-WebSocket-Key", and: ["Sec-WebSocket-Key: c2hvcnQ="])
            let response = try await Self.ask(fixture, fields: fields)
            expectRefusal(response, 400, "bad_request")
            #expect(fixture.backend.connections == 0)
        }
    }

    @Test(arguments: [["Content-Length: 5"], ["Transfer-Encoding: chunked"]])
    func handshakeWithBodyIsRefused(_ framing: [String]) async throws {
        try await withGateway(backend: TunnelBackend().script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/open/socket", fields: Handshake.fields + framing))
            expectRefusal(try await client.response(), 400, "bad_request")
            #expect(fixture.backend.connections == 0)
        }
    }

    @Test func postIsNoHandshake() async throws {
        try await withGateway { fixture async throws in
            let response = try await Self.ask(fixture, method: "POST", fields: Handshake.fields + ["Content-Length: 0"])
            #expect(response.status == 200)
            #expect(try await fixture.backend.arrivals.next().fields["Upgrade"] == [])
        }
    }
}
