import Testing
import Verification

/// A backend's 401 for a valid session: the client gets the response to the replay.
@Suite struct UnauthorizedTests {
    private static let identity = GatewaySetup.refreshing(
        tenant: "identity: { headers: { X-User-Id: sub, X-Token-Id: jti }, token: keep }"
    )

    @Test func rejectedTokenIsReplacedAndRequestReplayed() async throws {
        try await withEndedSession(Self.identity, giving: .token) { fixture, _, session async throws in
            let fields = ["X-Own: 1", "Accept: text/html", "X-Token-Id: forged"]
            let response = try await fixture.request("/x/y?z=1&z=2", token: session.old, fields: fields)
            #expect(response.status == 200 && response.body.text == "ok")
            #expect(response.interim.isEmpty)
            expectDelivered(response, session.new)
            #expect(
                fixture.visits(session) == ["GET /x/y?z=1&z=2 old", "POST /auth/refresh old", "GET /x/y?z=1&z=2 new"]
            )
            let (first, second) = (fixture.backend.requests[0], fixture.backend.requests[2])
            #expect(first.fields["Authorization"] == ["Bearer \(session.old)"])
            #expect(first.fields["X-Token-Id"] == ["old"])
            #expect(second.fields["Authorization"] == ["Bearer \(session.new)"])
            #expect(second.fields["X-Token-Id"] == ["new"])
            #expect(second.fields["X-User-Id"] == ["alice"])
            expectSameFields(first, second)
        }
    }

    /// Compares a request and its replay, except for the fields about the token.
    private func expectSameFields(_ first: RecordedRequest, _ second: RecordedRequest) {
        let changing = ["authorization", "x-token-id", "traceparent"]
        let fields = { (request: RecordedRequest) in
            request.fields.lines.map { "\($0.name.lowercased()): \($0.value)" }
                .filter { line in !changing.contains { line.hasPrefix("\($0):") } }.sorted()
        }
        #expect(fields(first) == fields(second))
        #expect(fields(first).contains("x-own: 1"))
    }

    @Test func newTokenIsAcceptedAtOnce() async throws {
        try await withEndedSession(giving: .token) { fixture, _, session async throws in
            let client = try await fixture.connect()
            expectDelivered(try await client.request(fixture.head("/x", token: session.old)), session.new)
            let next = try await client.request(fixture.head("/y", token: session.new))
            #expect(next.status == 200)
            expectNothingDelivered(next)
            #expect(fixture.refreshCalls.count == 1)
        }
    }

    @Test func concurrentRequestsShareOneRefresh() async throws {
        let asked = Gate("the refresh call")
        try await withEndedSession { fixture, stub, session async throws in
            stub.onRefresh { exchange in
                try await asked.passed()
                let text = #"{"token":"\#(session.new)"}"#
                try await exchange.sendOK(text)
            }
            var clients: [RawClient] = []
            for index in 0..<8 {
                let client = try await fixture.connect()
                try await client.send(fixture.head("/\(index)", token: session.old))
                clients.append(client)
            }
            // Eight requests and one refresh.
            for _ in 0..<9 { _ = try await fixture.backend.arrivals.next() }
            asked.open()
            for client in clients {
                let response = try await client.response()
                #expect(response.status == 200)
                expectDelivered(response, session.new)
            }
            #expect(fixture.refreshCalls.count == 1)
        }
    }

    @Test func secondUnauthorizedIsFinal() async throws {
        try await withStub { fixture, stub async throws in
            let session = try fixture.session()
            stub.end(session.old, session.new)
            stub.give(token: session.new)
            let response = try await fixture.request("/x", token: session.old)
            expectBackendsRefusal(response)
            expectDelivered(response, session.new)
            #expect(fixture.visits(session) == ["GET /x old", "POST /auth/refresh old", "GET /x new"])
        }
    }

    @Test func backendsFieldsStayExceptCachingOnes() async throws {
        let good = BackendScript.response(
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nExpires: Thu, 01 Jan 2099 00:00:00 GMT\r\n"
                + "X-Refreshed-Token: the backend's\r\nX-Own: 1\r\nAccess-Control-Expose-Headers: X-Own\r\n"
                + "Content-Length: 0\r\n\r\n"
        )
        try await withEndedSession(otherwise: good, giving: .token) { fixture, _, session async throws in
            for isHTTP2 in [false, true] {
                let fields =
                    isHTTP2
                    ? try await fixture.http2().request("/x", fields: [("authorization", "Bearer \(session.old)")])
                        .fields
                    : try await fixture.request("/x", token: session.old).fields
                #expect(fields["Cache-Control"] == ["no-store"] && fields["Expires"] == [])
                #expect(fields["X-Refreshed-Token"] == [session.new] && fields["X-Own"] == ["1"])
                #expect(fields.list("Access-Control-Expose-Headers") == ["x-own", "x-refreshed-token"])
            }
            // Unchanged if nothing is delivered.
            let fields = try await fixture.request("/x", token: session.new).fields
            #expect(fields["Cache-Control"] == ["max-age=60"] && fields["Expires"].count == 1)
        }
    }

    @Test func unauthorizedIsPassedOnWithOn401Off() async throws {
        try await withEndedSession(.refreshing("on_401: false", "grace: 1h"), giving: .token) {
            fixture,
            _,
            session async throws in
            let response = try await fixture.request("/x", token: session.old)
            expectBackendsRefusal(response)
            expectNothingDelivered(response)
            #expect(fixture.refreshCalls.isEmpty)
        }
    }

    @Test func queryTokenIsReplacedInQuery() async throws {
        let setup = GatewaySetup.refreshing(
            tenant: """
                authenticate: { from: ["query:token"], issuers: [ \(TestIssuer.entry) ] }
                """
        )
        try await withEndedSession(setup, giving: .token) { fixture, _, session async throws in
            let response = try await fixture.request("/x?a=1&token=\(session.old)&b=2")
            #expect(response.status == 200)
            expectDelivered(response, session.new)
            #expect(fixture.backend.requests.last?.target == "/x?a=1&token=\(session.new)&b=2")
        }
    }
}
