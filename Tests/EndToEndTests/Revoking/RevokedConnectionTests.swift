import TestSupport
import Testing
import Verification

/// A revoked token does not stay connected: WebSockets get a Close frame, and long responses are cut.
@Suite struct RevokedConnectionTests {
    private static let revokeOn = """
        revoke_on: ["POST /logout"]
        """
    private static let events =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "8\r\ndata: 1\n\r\n"

    /// A backend with a sign-out path, whose `/events` never end and which notices disconnects.
    private static func script(_ gone: Mailbox<String>) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            switch exchange.head.path {
            case "/events", "/open/events":
                try await exchange.send(events)
                try await exchange.gone()
                gone.put("events")
            case "/silence":
                try await exchange.gone()
                gone.put("silence")
            default: try await exchange.sendOK()
            }
        }
    }

    /// A backend whose `/events` send a second event once the gate opens.
    private static func twoEvents(_ next: Gate) -> BackendScript {
        BackendScript { exchange in
            try await exchange.body()
            guard exchange.head.path == "/events" else { return try await exchange.sendOK() }
            try await exchange.send(events)
            try await next.passed()
            try await exchange.send("8\r\ndata: 2\n\r\n0\r\n\r\n")
        }
    }

    private func signOut(_ fixture: GatewayFixture, _ token: String) async throws {
        #expect(try await fixture.request("/logout", method: "POST", token: token).status == 200)
    }

    @Test(arguments: ["/events", "/open/events"])
    func eventStreamOfRevokedTokenEnds(_ path: String) async throws {
        let gone = Mailbox<String>("the backend sees that a client is gone")
        try await withGateway(GatewaySetup(tenant: Self.revokeOn), backend: Self.script(gone)) { fixture async throws in
            let token = try fixture.token(["jti": "t1", "sid": "s1"])
            let client = try await fixture.connect()
            try await client.send(fixture.head(path, token: token))
            #expect(try await client.head().status == 200)
            try await signOut(fixture, try fixture.token(["jti": "t2", "sid": "s1"]))
            let rest = try await client.untilClosed().text
            #expect(!rest.hasSuffix("0\r\n\r\n"), "an answer that is cut must not look whole")
            #expect(try await gone.next() == "events")
        }
    }

    @Test func revokedTokenEndsUnansweredRequestWithRefusal() async throws {
        let gone = Mailbox<String>("the backend sees that a client is gone")
        try await withGateway(GatewaySetup(tenant: Self.revokeOn), backend: Self.script(gone)) { fixture async throws in
            let token = try fixture.token(["jti": "t1"])
            let client = try await fixture.connect()
            try await client.send(fixture.head("/silence", token: token))
            _ = try await fixture.backend.arrivals.next()
            try await signOut(fixture, token)
            expectRefusal(try await client.response(), 401, "token_revoked")
            #expect(try await gone.next() == "silence")
        }
    }

    @Test func revocationKeepsOtherConnections() async throws {
        let next = Gate("the second event")
        try await withGateway(GatewaySetup(tenant: Self.revokeOn), backend: Self.twoEvents(next)) {
            fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/events", token: try fixture.token(["jti": "other"])))
            #expect(try await client.head().status == 200)
            // A cut stream proves that the revocation was applied.
            let revoked = try fixture.token(["jti": "t1"])
            let doomed = try await fixture.connect()
            try await doomed.send(fixture.head("/events", token: revoked))
            #expect(try await doomed.head().status == 200)
            try await signOut(fixture, revoked)
            _ = try await doomed.untilClosed()
            next.open()
            #expect(try await client.body(.chunked).text == "data: 1\ndata: 2\n")
        }
    }

    @Test func revokedTokenResetsStreamAndKeepsConnection() async throws {
        let gone = Mailbox<String>("the backend sees that a client is gone")
        try await withGateway(GatewaySetup(tenant: Self.revokeOn), backend: Self.script(gone)) { fixture async throws in
            let token = try fixture.token(["jti": "t1"])
            let client = try await fixture.http2()
            let stream = try await client.open("/events", fields: [("authorization", "Bearer \(token)")])
            while let event = try await client.event(on: stream) {
                if case .data = event { break }
            }
            try await signOut(fixture, token)
            guard case .reset = try await client.outcome(of: stream) else {
                Issue.record("the stream was not reset")
                return
            }
            #expect(try await client.request("/open/x").status == 200)
        }
    }

    @Test func revokedTokenClosesWebSocket() async throws {
        let upstream = TunnelBackend()
        try await withGateway(GatewaySetup(tenant: Self.revokeOn), backend: upstream.script) { fixture async throws in
            let token = try fixture.token(["jti": "t1"])
            try await fixture.withTunnel(upstream, "/socket", token: token) { tunnel async throws in
                try await tunnel.expectOpen()
                try await signOut(fixture, token)
                let frame = try #require(try await tunnel.client.frame())
                #expect(frame.closeCode == 1008 && !frame.closeReason.isEmpty)
                #expect(try await tunnel.server.frame()?.closeCode == 1001)
                #expect(try await tunnel.client.frame() == nil)
            }
        }
    }

    @Test func observeModeCutsNoConnection() async throws {
        let next = Gate("the second event")
        let setup = GatewaySetup(tenant: Self.revokeOn + "\nmode: observe")
        try await withGateway(setup, backend: Self.twoEvents(next)) { fixture async throws in
            let token = try fixture.token(["jti": "t1", "sub": "alice"])
            let client = try await fixture.connect()
            try await client.send(fixture.head("/events", token: token))
            #expect(try await client.head().status == 200)
            try await signOut(fixture, token)
            // Forwarded without identity.
            #expect(try await fixture.request("/x", token: token).status == 200)
            #expect(try #require(fixture.backend.requests.last).head.fields["X-User-Id"].isEmpty)
            next.open()
            #expect(try await client.body(.chunked).text == "data: 1\ndata: 2\n")
        }
    }
}
