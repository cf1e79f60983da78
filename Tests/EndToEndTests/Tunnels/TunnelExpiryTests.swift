import Testing
import Verification

/// When the caller's token expires, both ends get a Close frame, each between two frames: 1008 to the client, 1001 to
/// the backend (RFC 6455 sections 5.5.1 and 7.4.1).
@Suite struct TunnelExpiryTests {
    /// Long enough for a loaded machine to open the tunnel and use it.
    private static let lifetime = 3

    private static func authenticating(leeway: String = "0s") -> String {
        """
        authenticate:
          from: [bearer]
          issuers:
            - { issuer: "https://secret.test", audiences: [app], algorithms: [HS256], secret: "${TEST_SECRET}" }
          leeway: \(leeway)
        """
    }

    /// Opens a tunnel with a token that is about to expire.
    private func withExpiring(_ test: (Tunnel) async throws -> Void) async throws {
        let upstream = TunnelBackend()
        try await withGateway(GatewaySetup(tenant: Self.authenticating()), backend: upstream.script) {
            fixture async throws in
            let token = try fixture.token(["exp": TestIssuer.fromNow(Self.lifetime)])
            try await fixture.withTunnel(upstream, "/socket", token: token) { tunnel async throws in
                try await tunnel.expectOpen()
                try await test(tunnel)
            }
        }
    }

    private func expectClose(_ client: TunnelClient, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let frame = try #require(try await client.frame(), sourceLocation: sourceLocation)
        #expect(frame.closeCode == 1008 && frame.isFinal, sourceLocation: sourceLocation)
        #expect(frame.mask == nil, sourceLocation: sourceLocation)
        #expect(!frame.closeReason.isEmpty, sourceLocation: sourceLocation)
    }

    private func expectClose(
        _ server: TunnelBackend.Server,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let frame = try #require(try await server.frame(), sourceLocation: sourceLocation)
        #expect(frame.closeCode == 1001 && frame.isFinal, sourceLocation: sourceLocation)
        // A client's frames are masked, and the gateway is the backend's client.
        #expect(frame.mask != nil, sourceLocation: sourceLocation)
    }

    @Test func expiryClosesBothEnds() async throws {
        try await withExpiring { tunnel async throws in
            try await expectClose(tunnel.client)
            try await expectClose(tunnel.server)
            #expect(try await tunnel.client.frame() == nil)
            #expect(try await tunnel.server.frame() == nil)
        }
    }

    @Test func expiryClosesClientMidFrame() async throws {
        try await withExpiring { tunnel async throws in
            let frame = WebSocketFrame.fromClient("this frame is longer than its token is good for")
            try await tunnel.client.send(Array(frame.bytes.prefix(20)))
            // No frame to the client is under way, so its Close is sent at once.
            try await expectClose(tunnel.client)
            // The frame under way passes whole; a later one does not.
            let another = WebSocketFrame.fromClient("too late")
            try await tunnel.client.send(Array(frame.bytes.dropFirst(20)) + another.bytes)
            #expect(try await tunnel.server.frame() == frame)
            try await expectClose(tunnel.server)
            #expect(try await tunnel.server.frame() == nil)
        }
    }

    @Test func expiryClosesBackendMidFrame() async throws {
        try await withExpiring { tunnel async throws in
            let frame = WebSocketFrame(.binary, [UInt8](repeating: 9, count: 300), isFinal: false)
            try await tunnel.server.send(Array(frame.bytes.prefix(3)))
            try await expectClose(tunnel.server)
            let another = WebSocketFrame.fromServer("too late")
            try await tunnel.server.send(Array(frame.bytes.dropFirst(3)) + another.bytes)
            #expect(try await tunnel.client.frame() == frame)
            try await expectClose(tunnel.client)
            #expect(try await tunnel.client.frame() == nil)
        }
    }

    @Test func unfinishedFrameDoesNotKeepExpiredTunnel() async throws {
        try await withExpiring { tunnel async throws in
            try await tunnel.client.send([0x82, 0xff])
            try await tunnel.server.send([0x82, 0x7f])
            // No Close frame may go into the middle of another one.
            #expect(try await tunnel.client.bytes.rest() == [0x82, 0x7f])
            #expect(try await tunnel.server.bytes.rest() == [0x82, 0xff])
        }
    }

    @Test func closedEndGetsNoSecondClose() async throws {
        try await withExpiring { tunnel async throws in
            let close = WebSocketFrame(.close, [0x03, 0xe8], mask: [1, 2, 3, 4])
            try await tunnel.client.send(close)
            #expect(try await tunnel.server.frame() == close)
            // The backend never answers it.
            try await expectClose(tunnel.client)
            #expect(try await tunnel.server.frame() == nil)
        }
    }

    @Test func leewayExtendsTunnel() async throws {
        let upstream = TunnelBackend()
        let setup = GatewaySetup(
            tenant: Self.authenticating(leeway: "30s"),
            others: """
                strict:
                  hosts: [strict.test]
                  backend: { servers: ["{backend}"] }
                \(Self.authenticating().split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
                """
        )
        try await withGateway(setup, backend: upstream.script) { fixture async throws in
            let token = try fixture.token(["exp": TestIssuer.fromNow(Self.lifetime)])
            let lenient = try await fixture.openTunnel(upstream, "/socket", token: token)
            let strict = try await fixture.openTunnel(upstream, "/socket", host: "strict.test", token: token)
            try await fixture.withTunnel(lenient) { lenient async throws in
                try await fixture.withTunnel(strict) { strict async throws in
                    try await expectClose(strict.client)
                    // Now the token has expired for the lenient tenant, too.
                    try await lenient.expectOpen()
                }
            }
        }
    }

    @Test func onExpiryKeepKeepsTunnelOpen() async throws {
        let upstream = TunnelBackend()
        let setup = GatewaySetup(
            tenant: Self.authenticating() + "\nwebsocket: { on_expiry: keep }",
            others: """
                strict:
                  hosts: [strict.test]
                  backend: { servers: ["{backend}"] }
                  websocket: { on_expiry: close }
                \(Self.authenticating().split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
                """
        )
        try await withGateway(setup, backend: upstream.script) { fixture async throws in
            let token = try fixture.token(["exp": TestIssuer.fromNow(Self.lifetime)])
            let kept = try await fixture.openTunnel(upstream, "/socket", token: token)
            let strict = try await fixture.openTunnel(upstream, "/socket", host: "strict.test", token: token)
            try await fixture.withTunnel(kept) { kept async throws in
                try await fixture.withTunnel(strict) { strict async throws in
                    try await expectClose(strict.client)
                    expectRefusal(try await fixture.request("/x", token: token), 401, "token_expired")
                    try await kept.expectOpen()
                }
            }
        }
    }

    @Test func tunnelWithoutTokenDoesNotExpire() async throws {
        let upstream = TunnelBackend()
        try await withGateway(GatewaySetup(tenant: Self.authenticating()), backend: upstream.script) {
            fixture async throws in
            let token = try fixture.token(["exp": TestIssuer.fromNow(Self.lifetime)])
            let anyones = try await fixture.openTunnel(upstream, "/open/socket")
            let alices = try await fixture.openTunnel(upstream, "/open/socket", token: token)
            try await fixture.withTunnel(anyones) { anyones async throws in
                try await fixture.withTunnel(alices) { alices async throws in
                    // A good token counts on an open path as well.
                    try await expectClose(alices.client)
                    try await anyones.expectOpen()
                }
            }
        }
    }
}
