import Testing
import Verification

/// What happens to a client or a session while its refresh is under way.
@Suite struct RefreshRaceTests {
    private static let setup = GatewaySetup.refreshing("grace: 1h", tenant: #"revoke_on: ["POST /logout"]"#)

    /// Why a request waits for new tokens.
    enum Trigger: String, CaseIterable, Sendable {
        case unauthorized
        case expired
    }

    /// A backend with a sign-out path, and a refresh that waits at a gate.
    private func withWaitingRefresh(
        _ trigger: Trigger,
        _ test: (GatewayFixture, SampleSession, Gate) async throws -> Void
    ) async throws {
        let gate = Gate("the refresh")
        let stub = RefreshingBackend()
        let backend = stub.script()
        let script = BackendScript { exchange in
            guard exchange.head.path == "/logout" else { return try await backend.run(exchange) }
            try await exchange.body()
            try await exchange.sendOK()
        }
        try await withGateway(Self.setup, backend: script) { fixture async throws in
            let past: JSONObject = trigger == .expired ? ["exp": TestIssuer.fromNow(-300)] : [:]
            let session = try fixture.session(past)
            stub.end(session.old)
            let response = #"{"token":"\#(session.new)"}"#
            stub.onRefresh { exchange in
                try await gate.passed()
                try await exchange.sendOK(response)
            }
            try await test(fixture, session, gate)
        }
    }

    /// A client whose request waits for the refresh.
    private func begin(_ fixture: GatewayFixture, _ session: SampleSession) async throws -> RawClient {
        let client = try await fixture.connect()
        try await client.send(fixture.head("/x", token: session.old))
        while try await fixture.backend.arrivals.next().head.path != RefreshingBackend.refreshPath {}
        return client
    }

    private func expectNotBroughtBack(_ response: RawResponse, _ trigger: Trigger) {
        switch trigger {
        case .unauthorized: expectBackendsRefusal(response)
        case .expired: expectRefusal(response, 401, "token_revoked")
        }
        expectNothingDelivered(response)
    }

    // MARK: The client leaves

    @Test(arguments: Trigger.allCases)
    func refreshContinuesAfterClientDisconnects(_ trigger: Trigger) async throws {
        try await withWaitingRefresh(trigger) { fixture, session, gate async throws in
            let client = try await begin(fixture, session)
            await client.close()
            #expect(try await fixture.accessLog.next()["status"] == 499)
            gate.open()
            let response = try await fixture.request("/y", token: session.old)
            #expect(response.status == 200)
            expectDelivered(response, session.new)
            #expect(fixture.refreshCalls.count == 1)
            #expect(!fixture.visits(session).contains("GET /x new"))
        }
    }

    @Test func resetStreamKeepsSharedRefresh() async throws {
        try await withWaitingRefresh(.unauthorized) { fixture, session, gate async throws in
            let client = try await fixture.http2()
            let fields = [("authorization", "Bearer \(session.old)")]
            let gone = try await client.open("/1", fields: fields)
            while try await fixture.backend.arrivals.next().head.path != RefreshingBackend.refreshPath {}
            let stays = try await client.open("/2", fields: fields)
            #expect(try await fixture.backend.arrivals.next().target == "/2")
            try await client.send(.reset(gone, .cancel))
            #expect(try await client.sync())
            gate.open()
            let response = try await client.response(on: stays)
            #expect(response.status == 200 && response.fields["x-refreshed-token"] == [session.new])
            #expect(fixture.refreshCalls.count == 1)
            #expect(!fixture.visits(session).contains("GET /1 new"))
        }
    }

    // MARK: The session ends

    @Test func signOutDuringRefreshWins() async throws {
        try await withWaitingRefresh(.unauthorized) { fixture, session, gate async throws in
            let client = try await begin(fixture, session)
            #expect(try await fixture.request("/logout", method: "POST", token: session.old).status == 200)
            gate.open()
            expectNotBroughtBack(try await client.response(), .unauthorized)
            for token in [session.old, session.new] {
                expectRefusal(try await fixture.request("/x", token: token), 401, "token_revoked")
            }
            #expect(fixture.refreshCalls.count == 1)
            #expect(!fixture.visits(session).contains("GET /x new"))
        }
    }

    @Test(arguments: Trigger.allCases, [#""session":"s1""#, #""jti":"old""#, #""subject":"alice""#])
    func revocationDuringRefreshWins(_ trigger: Trigger, _ selector: String) async throws {
        try await withWaitingRefresh(trigger) { fixture, session, gate async throws in
            let client = try await begin(fixture, session)
            let body = #"{"tenant":"app",\#(selector)}"#
            _ = try fixture.entries("revoked", try await fixture.revocations("POST", body: body))
            gate.open()
            expectNotBroughtBack(try await client.response(), trigger)
            expectRefusal(try await fixture.request("/x", token: session.old), 401, "token_revoked")
            #expect(!fixture.visits(session).contains("GET /x new"))
        }
    }

    /// The client does not wait for the provider, and gets the backend's own 401.
    @Test func revocationReleasesHeldUnauthorizedAtOnce() async throws {
        try await withWaitingRefresh(.unauthorized) { fixture, session, gate async throws in
            let client = try await begin(fixture, session)
            let body = #"{"tenant":"app","session":"s1"}"#
            _ = try fixture.entries("revoked", try await fixture.revocations("POST", body: body))
            expectNotBroughtBack(try await client.response(), .unauthorized)
            expectRefusal(try await fixture.request("/x", token: session.old), 401, "token_revoked")
            gate.open()
        }
    }

    @Test func revokedTokenGetsNoRefreshedToken() async throws {
        try await withEndedSession(Self.setup, giving: .token) { fixture, _, session async throws in
            expectDelivered(try await fixture.request("/x", token: session.old), session.new)
            let body = #"{"tenant":"app","session":"s1"}"#
            _ = try fixture.entries("revoked", try await fixture.revocations("POST", body: body))
            for token in [session.old, session.new] {
                let response = try await fixture.request("/x", token: token)
                expectRefusal(response, 401, "token_revoked")
                expectNothingDelivered(response)
            }
        }
    }
}
