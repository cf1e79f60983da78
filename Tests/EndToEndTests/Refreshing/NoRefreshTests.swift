import Testing
import Verification

/// Requests that never lead to a refresh.
@Suite struct NoRefreshTests {
    /// Expects the backend's response unchanged, and no refresh call.
    private func expectLeftAlone(
        _ setup: GatewaySetup = .refreshing(),
        _ target: String = "/x",
        method: String = "GET",
        fields: (SampleSession) -> [String] = { ["Authorization: Bearer \($0.old)"] }
    ) async throws {
        try await withEndedSession(setup) { fixture, stub, session async throws in
            var tokens = session.pair
            tokens["token"] = .string(session.new)
            stub.give(tokens)
            let response = try await fixture.request(target, method: method, fields: fields(session))
            expectBackendsRefusal(response)
            expectNothingDelivered(response)
            #expect(response.fields["Cache-Control"] == [])
            #expect(fixture.visits(session) == ["\(method) \(target) old"])
            #expect(try await fixture.accessLog.next()["refreshed"] == false)
            #expect(stub.isPast(session.old))
        }
    }

    @Test(arguments: [400, 403, 404, 409, 500, 503])
    func onlyUnauthorizedRefreshes(_ status: Int) async throws {
        let refusal = BackendScript.response("HTTP/1.1 \(status) X\r\nContent-Length: 2\r\n\r\nno")
        try await withStub(otherwise: refusal) { fixture, stub async throws in
            let session = try fixture.session()
            stub.give(token: session.new)
            let response = try await fixture.request("/x", token: session.old)
            #expect(response.status == status && response.body.text == "no")
            expectNothingDelivered(response)
            #expect(fixture.refreshCalls.isEmpty)
        }
    }

    @Test func openPathIsNotRefreshed() async throws {
        try await expectLeftAlone(.refreshing(), "/open/x")
    }

    @Test func signOutPathIsNotRefreshed() async throws {
        try await expectLeftAlone(.refreshing(tenant: #"revoke_on: ["POST /logout"]"#), "/logout", method: "POST")
    }

    @Test func capturePathIsNotRefreshed() async throws {
        var setup = GatewaySetup.refreshing(
            "from: vault",
            "vault: { capture: [ { path: /auth/login } ] }",
            call: "path: \(RefreshingBackend.refreshPath), send: refresh_token_json"
        )
        setup.sealingKeys = GatewaySetup.sampleSealingKey
        try await expectLeftAlone(setup, "/auth/login", method: "POST")
    }

    /// In every spelling that the backend may treat as the same.
    @Test(arguments: ["/auth/refresh", "/auth//refresh", "/auth/%72efresh", "/auth/refresh;x=1"])
    func refreshPathItselfIsNotRefreshed(_ path: String) async throws {
        try await withEndedSession { fixture, stub, session async throws in
            stub.onRefresh { try await $0.send(RefreshingBackend.unauthorized + "past") }
            let response = try await fixture.request(path, method: "POST", token: session.old)
            expectBackendsRefusal(response)
            expectNothingDelivered(response)
            #expect(fixture.backend.requests.count == 1)
            // The session is still valid.
            #expect(try await fixture.request("/open/x", token: session.new).status == 200)
        }
    }

    @Test func bearerTokenWithCookieDeliveryIsNotRefreshed() async throws {
        try await expectLeftAlone(.refreshingCookies()) {
            ["Authorization: Bearer \($0.old)", "Cookie: refresh=\($0.oldRefresh)"]
        }
    }

    @Test func cookieWithoutRefreshTokenIsNotRefreshed() async throws {
        try await expectLeftAlone(.refreshingCookies()) { ["Cookie: access=\($0.old)"] }
    }

    @Test func ambiguousRefreshTokensAreNotUsed() async throws {
        try await expectLeftAlone(.refreshingCookies()) {
            ["Cookie: access=\($0.old); refresh=\($0.oldRefresh); refresh=another"]
        }
    }

    @Test func tenantWithoutRefreshIsNotRefreshed() async throws {
        try await expectLeftAlone(GatewaySetup())
    }

    @Test func observedRefusalIsNotRefreshed() async throws {
        let setup = GatewaySetup.refreshing(
            tenant: """
                mode: observe
                access: [ { path: /**, allow: { roles: [nobody] } } ]
                """
        )
        try await expectLeftAlone(setup)
    }
}

extension GatewaySetup {
    /// 32 bytes in base64.
    static let sampleSealingKey = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="
}
