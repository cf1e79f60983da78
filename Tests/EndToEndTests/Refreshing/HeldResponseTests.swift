import Testing
import Verification

/// The backend's 401 is held during the refresh, and then dropped or passed on, whatever its framing.
@Suite struct HeldResponseTests {
    private static let long = String(repeating: "past and gone ", count: 40_000)

    /// Framings of a 401.
    private static let forms: [String: String] = [
        "length": "Content-Length: 4\r\n\r\npast", "empty": "Content-Length: 0\r\n\r\n",
        "chunked": "Transfer-Encoding: chunked\r\n\r\n2\r\npa\r\n2\r\nst\r\n0\r\nX-Sum: 1\r\n\r\n",
        "close": "Connection: close\r\n\r\npast", "long": "Content-Length: \(long.utf8.count)\r\n\r\n\(long)",
    ]

    /// A backend that rejects past tokens with this framing.
    private func withForm(
        _ form: String,
        _ test: (GatewayFixture, RefreshingBackend, SampleSession) async throws -> Void
    ) async throws {
        let stub = RefreshingBackend()
        let script = BackendScript { exchange in
            guard stub.isPast(exchange.head), exchange.head.path != RefreshingBackend.refreshPath else {
                return try await stub.script().run(exchange)
            }
            try await exchange.body()
            // The gateway may not read the rest.
            try? await exchange.send("HTTP/1.1 401 Unauthorized\r\n\(Self.forms[form] ?? "\r\n")")
            if form == "close" { await exchange.close() }
        }
        try await withGateway(.refreshing(), backend: script) { fixture async throws in
            let session = try fixture.session()
            stub.end(session.old)
            try await test(fixture, stub, session)
        }
    }

    @Test(arguments: ["length", "empty", "chunked", "close", "long"])
    func unauthorizedInAnyFramingIsReplacedByReplay(_ form: String) async throws {
        try await withForm(form) { fixture, stub, session async throws in
            stub.give(token: session.new)
            let client = try await fixture.connect()
            for _ in 0..<3 {
                let response = try await client.request(fixture.head("/x", token: session.old))
                #expect(response.status == 200 && response.body.text == "ok")
                expectDelivered(response, session.new)
                // Nothing of the dropped response is taken for this one.
                #expect(try await client.request(fixture.head("/open/x")).body.text == "ok")
            }
            #expect(fixture.refreshCalls.count == 1)
        }
    }

    @Test(arguments: ["length", "empty", "chunked", "close", "long"])
    func unauthorizedInAnyFramingIsPassedOnWithoutNewToken(_ form: String) async throws {
        try await withForm(form) { fixture, stub, session async throws in
            stub.give(["nothing": true])
            let client = try await fixture.connect()
            let response = try await client.request(fixture.head("/x", token: session.old))
            #expect(response.status == 401)
            #expect(response.body.text == (form == "long" ? Self.long : form == "empty" ? "" : "past"))
            if form == "chunked" { #expect(response.body.trailers["X-Sum"] == ["1"]) }
            expectNothingDelivered(response)
            #expect(try await client.request(fixture.head("/open/x")).body.text == "ok")
        }
    }

    @Test func connectionOfHeldUnauthorizedIsReused() async throws {
        try await withForm("length") { fixture, stub, session async throws in
            stub.give(token: session.new)
            for _ in 0..<5 { #expect(try await fixture.request("/x", token: session.old).status == 200) }
            // One, and another for the refresh.
            #expect(fixture.backend.connections <= 2)
        }
    }

    @Test func serverCloseDuringRefreshKeepsHeldResponse() async throws {
        let refreshed = Gate("the refresh call")
        try await withForm("close") { fixture, stub, session async throws in
            stub.onRefresh { exchange in
                try await refreshed.passed()
                try await exchange.sendOK("no token")
            }
            let client = try await fixture.connect()
            try await client.send(fixture.head("/x", token: session.old))
            _ = try await fixture.backend.ends.next()
            // The one event loop has seen the end as well.
            #expect(try await fixture.request("/open/x").status == 200)
            refreshed.open()
            let response = try await client.response()
            #expect(response.status == 401 && response.body.text == "past")
        }
    }

    // MARK: The second response

    @Test(arguments: [204, 302, 403, 404, 500])
    func responseToReplayIsPassedOn(_ status: Int) async throws {
        let head = "HTTP/1.1 \(status) X\r\nX-Second: yes\r\n"
        let good = BackendScript.response(status == 204 ? "\(head)\r\n" : "\(head)Content-Length: 2\r\n\r\nno")
        try await withEndedSession(otherwise: good, giving: .token) { fixture, _, session async throws in
            let response = try await fixture.request("/x", token: session.old)
            #expect(response.status == status && response.fields["X-Second"] == ["yes"])
            expectDelivered(response, session.new)
            #expect(fixture.backend.requests.count == 3)
        }
    }

    @Test func failedReplayStillDeliversToken() async throws {
        let resets = BackendScript.resets
        try await withEndedSession(otherwise: resets, giving: .token) { fixture, _, session async throws in
            let head = fixture.head("/x", method: "POST", token: session.old, fields: ["Content-Length: 2"])
            let response = try await fixture.send(head + "ab", method: "POST")
            expectRefusal(response, 502, "backend_unavailable")
            #expect(response.fields["X-Refreshed-Token"] == [session.new])
            #expect(fixture.visits(session) == ["POST /x old", "POST /auth/refresh old", "POST /x new"])
        }
    }

    @Test func http10ClientGetsResponseToReplay() async throws {
        try await withEndedSession(giving: .token) { fixture, _, session async throws in
            let lines = ["GET /x HTTP/1.0", "Host: app.test", "Authorization: Bearer \(session.old)"]
            let response = try await fixture.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
            #expect(response.status == 200 && response.body.text == "ok")
            expectDelivered(response, session.new)
        }
    }
}
