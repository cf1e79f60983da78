import TestSupport
import Testing
import Verification

/// Whoever is revoked does not stay connected: WebSockets are closed in the protocol's own words, and answers that take
/// long are cut.
@Suite struct RevokedConnectionTests {
    private static let revokeOn = """
        revoke_on: ["POST /logout"]
        """
    private static let events =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "8\r\ndata: 1\n\r\n"

    /// A backend that signs out, and whose `/events` never end; a client that hangs up is seen.
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

    private func signOut(_ fixture: GatewayFixture, _ token: String) async throws {
        #expect(try await fixture.request("/logout", method: "POST", token: token).status == 200)
    }

    @Test(arguments: ["/events", "/open/events"])
    func eventsOfTheRevokedEnd(_ path: String) async throws {
        let gone = Mailbox<String>("the backend's word that a client is gone")
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

    @Test func requestWithoutAnAnswerEndsWithARefusal() async throws {
        let gone = Mailbox<String>("the backend's word that a client is gone")
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

    @Test func othersStayConnected() async throws {
        let next = Gate("the second event")
        let script = BackendScript { exchange in
            try await exchange.body()
            guard exchange.head.path == "/events" else { return try await exchange.sendOK() }
            try await exchange.send(Self.events)
            try await next.passed()
            try await exchange.send("8\r\ndata: 2\n\r\n0\r\n\r\n")
        }
        try await withGateway(GatewaySetup(tenant: Self.revokeOn), backend: script) { fixture async throws in
            let client = try await fixture.connect()
            try await client.send(fixture.head("/events", token: try fixture.token(["jti": "other"])))
            #expect(try await client.head().status == 200)
            // One that is cut proves that the search was made.
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

    @Test func streamsOfTheRevokedAreResetAndTheConnectionStays() async throws {
        let gone = Mailbox<String>("the backend's word that a client is gone")
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

    @Test func webSocketsOfTheRevokedAreClosedInTheirOwnWords() async throws {
        let hall = TunnelBackend()
        try await withGateway(GatewaySetup(tenant: Self.revokeOn), backend: hall.script) { fixture async throws in
            let token = try fixture.token(["jti": "t1"])
            let tunnel = try await fixture.openTunnel(hall, "/socket", token: token)
            try await fixture.withTunnel(tunnel) { tunnel async throws in
                try await tunnel.expectOpen()
                try await signOut(fixture, token)
                let told = try #require(try await tunnel.client.frame())
                #expect(told.closeCode == 1008 && !told.closeReason.isEmpty)
                #expect(try await tunnel.server.frame()?.closeCode == 1001)
                #expect(try await tunnel.client.frame() == nil)
            }
        }
    }

    @Test func observedTenantCutsNobody() async throws {
        let next = Gate("the second event")
        let script = BackendScript { exchange in
            try await exchange.body()
            guard exchange.head.path == "/events" else { return try await exchange.sendOK() }
            try await exchange.send(Self.events)
            try await next.passed()
            try await exchange.send("8\r\ndata: 2\n\r\n0\r\n\r\n")
        }
        let setup = GatewaySetup(tenant: Self.revokeOn + "\nmode: observe")
        try await withGateway(setup, backend: script) { fixture async throws in
            let token = try fixture.token(["jti": "t1", "sub": "alice"])
            let client = try await fixture.connect()
            try await client.send(fixture.head("/events", token: token))
            #expect(try await client.head().status == 200)
            try await signOut(fixture, token)
            // Let through, but not vouched for.
            #expect(try await fixture.request("/x", token: token).status == 200)
            #expect(try #require(fixture.backend.requests.last).head.fields["X-User-Id"].isEmpty)
            next.open()
            #expect(try await client.body(.chunked).text == "data: 1\ndata: 2\n")
        }
    }
}
