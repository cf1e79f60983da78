import Testing
import Verification

/// A token that expires `within` some time is refreshed in the background; the response does not wait.
@Suite struct BackgroundRefreshTests {
    private static let setup = GatewaySetup.refreshing("within: 1h")
    private static let ending: JSONObject = ["exp": TestIssuer.fromNow(1800)]
    private static let fresh: JSONObject = ["exp": TestIssuer.fromNow(7200)]

    @Test func backgroundRefreshDeliversTokenWithNextResponse() async throws {
        let refreshed = Gate("the refresh call")
        try await withStub(Self.setup) { fixture, stub async throws in
            let session = try fixture.session(Self.ending, next: Self.fresh)
            stub.onRefresh { exchange in
                try await refreshed.passed()
                try await exchange.sendOK(#"{"token":"\#(session.new)"}"#)
            }
            let first = try await fixture.request("/1", token: session.old)
            #expect(first.status == 200)
            expectNothingDelivered(first)
            while try await fixture.backend.arrivals.next().head.path != RefreshingBackend.refreshPath {}
            // Not before it is there.
            expectNothingDelivered(try await fixture.request("/2", token: session.old))
            refreshed.open()
            let next = try await fixture.response {
                try await fixture.request("/3", token: session.old)
            } until: {
                $0.fields["X-Refreshed-Token"] != []
            }
            expectDelivered(next, session.new)
            #expect(next.status == 200)
            #expect(fixture.refreshCalls.count == 1)
            // The old token is still valid: no request is replayed.
            #expect(!fixture.visits(session).contains { $0.hasSuffix(" new") })
        }
    }

    @Test func everyResponseToOldTokenDeliversNewOne() async throws {
        try await withStub(Self.setup) { fixture, stub async throws in
            let session = try fixture.session(Self.ending, next: Self.fresh)
            stub.give(token: session.new)
            _ = try await fixture.response {
                try await fixture.request("/x", token: session.old)
            } until: {
                $0.fields["X-Refreshed-Token"] == [session.new]
            }
            expectDelivered(try await fixture.request("/y", token: session.old), session.new)
            // The new token needs no refresh.
            let done = try await fixture.request("/z", token: session.new)
            #expect(done.status == 200)
            expectNothingDelivered(done)
            #expect(fixture.refreshCalls.count == 1)
        }
    }

    @Test func openPathsDoNotRefresh() async throws {
        try await withStub(Self.setup) { fixture, stub async throws in
            let session = try fixture.session(Self.ending, next: Self.fresh)
            stub.give(token: session.new)
            for _ in 0..<3 { _ = try await fixture.request("/open/x", token: session.old) }
            _ = try await fixture.request("/x", token: session.old)
            while try await fixture.backend.arrivals.next().head.path != RefreshingBackend.refreshPath {}
            #expect(fixture.refreshCalls.count == 1)
            #expect(fixture.visits(session).last == "POST /auth/refresh old")
        }
    }

    @Test func failedBackgroundRefreshDoesNotAffectResponses() async throws {
        try await withStub(Self.setup) { fixture, stub async throws in
            let session = try fixture.session(Self.ending, next: Self.fresh)
            stub.onRefresh { try await $0.sendOK("no token") }
            #expect(try await fixture.request("/1", token: session.old).status == 200)
            while try await fixture.backend.arrivals.next().head.path != RefreshingBackend.refreshPath {}
            for _ in 0..<5 {
                let response = try await fixture.request("/2", token: session.old)
                #expect(response.status == 200)
                expectNothingDelivered(response)
            }
            #expect(fixture.refreshCalls.count == 1)
        }
    }

    @Test func unauthorizedDuringBackgroundRefreshSharesIt() async throws {
        let refreshed = Gate("the refresh call")
        try await withStub(Self.setup) { fixture, stub async throws in
            let session = try fixture.session(Self.ending, next: Self.fresh)
            stub.onRefresh { exchange in
                try await refreshed.passed()
                try await exchange.sendOK(#"{"token":"\#(session.new)"}"#)
            }
            #expect(try await fixture.request("/1", token: session.old).status == 200)
            while try await fixture.backend.arrivals.next().head.path != RefreshingBackend.refreshPath {}
            stub.end(session.old)
            let client = try await fixture.connect()
            try await client.send(fixture.head("/2", token: session.old))
            #expect(try await fixture.backend.arrivals.next().target == "/2")
            refreshed.open()
            let response = try await client.response()
            #expect(response.status == 200)
            expectDelivered(response, session.new)
            #expect(fixture.refreshCalls.count == 1)
        }
    }
}
