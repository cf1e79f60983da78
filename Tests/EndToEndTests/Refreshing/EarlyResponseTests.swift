import Testing
import Verification

/// `Expect: 100-continue`, and a 401 that comes before the body has.
@Suite struct EarlyResponseTests {
    /// Rejects past tokens before the body has arrived.
    private func script(_ stub: RefreshingBackend) -> BackendScript {
        BackendScript { exchange in
            guard stub.isPast(exchange.head), exchange.head.path != RefreshingBackend.refreshPath else {
                return try await stub.script().run(exchange)
            }
            try await exchange.send(RefreshingBackend.unauthorized + "past")
            guard exchange.head.fields["Expect"] == [] else {
                // The client is not asked for a body.
                exchange.skipBody()
                try await exchange.gone()
                return await exchange.close()
            }
            try await exchange.body()
        }
    }

    private func withEarlyAnswers(_ test: (GatewayFixture, RefreshingBackend, SampleSession) async throws -> Void)
        async throws
    {
        let stub = RefreshingBackend()
        try await withGateway(.refreshing(), backend: script(stub)) { fixture async throws in
            let session = try fixture.session()
            stub.end(session.old)
            stub.give(token: session.new)
            try await test(fixture, stub, session)
        }
    }

    @Test func unauthorizedInsteadOf100DeliversTokenWithoutReplay() async throws {
        try await withEarlyAnswers { fixture, _, session async throws in
            let fields = ["Content-Length: 5", "Expect: 100-continue"]
            let client = try await fixture.connect()
            try await client.send(fixture.head("/x", method: "POST", token: session.old, fields: fields))
            let response = try await client.response(to: "POST")
            #expect(response.interim.isEmpty)
            expectBackendsRefusal(response)
            expectDelivered(response, session.new)
            #expect(fixture.refreshCalls.count == 1)
            let line = try await fixture.accessLog.next()
            #expect(line["refresh"] == "not_replayable" && line["refresh_reason"] == "body_not_received")
        }
    }

    @Test func replayDoesNotRepeat100Continue() async throws {
        try await withEndedSession(giving: .token) { fixture, _, session async throws in
            let fields = ["Content-Length: 5", "Expect: 100-continue"]
            let client = try await fixture.connect()
            try await client.send(fixture.head("/x", method: "POST", token: session.old, fields: fields))
            #expect(try await client.head(to: "POST").status == 100)
            let response = try await client.request("hello", method: "POST")
            #expect(response.status == 200 && response.interim.isEmpty)
            expectDelivered(response, session.new)
            let last = try #require(fixture.backend.requests.last)
            #expect(last.body.text == "hello" && last.fields["Authorization"] == ["Bearer \(session.new)"])
            #expect(last.fields["Expect"] == [])
            // The connection stays usable.
            #expect(try await client.request(fixture.head("/open/x")).status == 200)
        }
    }

    @Test func receivedBodyIsReplayed() async throws {
        try await withEarlyAnswers { fixture, _, session async throws in
            let head = fixture.head("/x", method: "POST", token: session.old, fields: ["Content-Length: 5"])
            let response = try await fixture.send(head + "hello", method: "POST")
            #expect(response.status == 200)
            expectDelivered(response, session.new)
            let last = try #require(fixture.backend.requests.last)
            #expect(last.body.text == "hello" && last.fields["Authorization"] == ["Bearer \(session.new)"])
        }
    }

    @Test func bodyReceivedDuringRefreshIsReplayed() async throws {
        let gate = Gate("the end of the body")
        try await withEarlyAnswers { fixture, stub, session async throws in
            let answer = #"{"token":"\#(session.new)"}"#
            stub.onRefresh { exchange in
                try await gate.passed()
                try await exchange.sendOK(answer)
            }
            let client = try await fixture.connect()
            try await client.send(
                fixture.head("/x", method: "POST", token: session.old, fields: ["Content-Length: 10"]) + "hello"
            )
            #expect(try await fixture.backend.arrivals.next().head.path == RefreshingBackend.refreshPath)
            try await client.send("world")
            // One event loop serves both, so the rest of the body arrived before this response.
            #expect(try await fixture.request("/open/x").status == 200)
            gate.open()
            let response = try await client.response(to: "POST")
            #expect(response.status == 200)
            expectDelivered(response, session.new)
            #expect(fixture.backend.requests.last?.body.text == "helloworld")
        }
    }

    @Test func missingBodyPreventsReplay() async throws {
        try await withEarlyAnswers { fixture, _, session async throws in
            let client = try await fixture.connect()
            try await client.send(
                fixture.head("/x", method: "POST", token: session.old, fields: ["Content-Length: 10"]) + "hello"
            )
            let response = try await client.response(to: "POST")
            expectBackendsRefusal(response)
            expectDelivered(response, session.new)
            #expect(!fixture.visits(session).contains("POST /x new"))
            // The rest of the body is skipped, and the connection goes on.
            #expect(try await client.request("world" + fixture.head("/x", token: session.new)).status == 200)
        }
    }
}
