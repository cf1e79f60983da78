import Testing
import Verification

/// A browser's script cannot set header fields of a handshake: its token may come in the query or the subprotocols, if
/// the tenant allows it.
@Suite struct TunnelTokenTests {
    private static func setup(_ sources: String, _ whatBecomesOfIt: String) -> GatewaySetup {
        GatewaySetup(
            tenant: """
                authenticate: { from: [\(sources)], issuers: [ \(TestIssuer.entry) ] }
                identity: { headers: { X-User-Id: sub }, token: \(whatBecomesOfIt) }
                """
        )
    }

    private static let query = "\"query:access_token\""
    private static let subprotocol = "\"header:Sec-WebSocket-Protocol\""

    private func open(
        _ setup: GatewaySetup,
        _ target: (String) -> String = { _ in "/socket" },
        fields: (String) -> [String] = { _ in [] },
        response: String = "",
        _ test: (Tunnel, String) async throws -> Void
    ) async throws {
        let upstream = TunnelBackend(fields: response)
        try await withGateway(setup, backend: upstream.script) { fixture async throws in
            let token = try fixture.token()
            let tunnel = try await fixture.openTunnel(upstream, target(token), fields: Handshake.fields + fields(token))
            try await fixture.withTunnel(tunnel) { tunnel async throws in
                try await tunnel.expectOpen()
                #expect(tunnel.server.head.fields["X-User-Id"] == ["alice"])
                try await test(tunnel, token)
            }
            // The fixture searches the logs for the token when it closes.
            await tunnel.client.close()
            #expect(try await fixture.accessLog.next()["subject"] == "alice")
        }
    }

    // MARK: The query

    @Test func queryTokenIsUsedAndStripped() async throws {
        try await open(Self.setup(Self.query, "strip")) {
            "/socket?room=7&access_token=\($0)&x=1"
        } _: { tunnel, _ in
            #expect(tunnel.server.head.target == "/socket?room=7&x=1")
        }
    }

    // MARK: The subprotocols

    @Test func subprotocolTokenIsUsedAndStripped() async throws {
        try await open(
            Self.setup(Self.subprotocol, "strip"),
            fields: { ["Sec-WebSocket-Protocol: chat, \($0), superchat"] },
            response: "Sec-WebSocket-Protocol: chat\r\n"
        ) { tunnel, _ in
            #expect(tunnel.server.head.fields.list("Sec-WebSocket-Protocol") == ["chat", "superchat"])
            #expect(tunnel.client.response.fields["Sec-WebSocket-Protocol"] == ["chat"])
        }
    }

    @Test func subprotocolsWithoutTokenPassUnchanged() async throws {
        let upstream = TunnelBackend(fields: "Sec-WebSocket-Protocol: v2.chat.example\r\n")
        try await withGateway(Self.setup(Self.subprotocol, "strip"), backend: upstream.script) { fixture async throws in
            let fields = Handshake.fields + ["Sec-WebSocket-Protocol: v2.chat.example, v1"]
            try await fixture.withTunnel(upstream, fields: fields) { tunnel async throws in
                #expect(tunnel.server.head.fields.list("Sec-WebSocket-Protocol") == ["v2.chat.example", "v1"])
            }
        }
    }

    // MARK: Refused tokens

    @Test func refusedTokenIsNotLogged() async throws {
        try await withGateway(Self.setup("\(Self.query), \(Self.subprotocol)", "strip")) { fixture async throws in
            let expired = try fixture.token(["exp": TestIssuer.fromNow(-3600)])
            let fields = Handshake.fields + ["Sec-WebSocket-Protocol: chat, \(expired)"]
            let inQuery = try await fixture.request("/socket?access_token=\(expired)", fields: Handshake.fields)
            let inProtocol = try await fixture.request("/socket", fields: fields)
            expectChallenge(inQuery, 401, "token_expired", error: "invalid_token")
            expectChallenge(inProtocol, 401, "token_expired", error: "invalid_token")
            for _ in 0..<2 { #expect(try await fixture.accessLog.next()["outcome"] == "token_expired") }
        }
    }
}
