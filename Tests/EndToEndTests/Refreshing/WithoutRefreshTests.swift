import Testing
import Verification

/// What never leads to a refresh.
@Suite struct WithoutRefreshTests {
    /// Expects the backend's answer as it is, and no call.
    private func expectLeftAlone(
        _ setup: GatewaySetup = .refreshing(),
        _ target: String = "/x",
        method: String = "GET",
        fields: (SampleSession) -> [String] = { ["Authorization: Bearer \($0.old)"] }
    ) async throws {
        try await withEndedSession(setup) { fixture, stub, session async throws in
            var answer = session.pair
            answer["token"] = .string(session.new)
            stub.give(answer)
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
    func onlyA401Counts(_ status: Int) async throws {
        let answer = BackendScript.answers("HTTP/1.1 \(status) X\r\nContent-Length: 2\r\n\r\nno")
        try await withStub(otherwise: answer) { fixture, stub async throws in
            let session = try fixture.session()
            stub.give(token: session.new)
            let response = try await fixture.request("/x", token: session.old)
            #expect(response.status == status && response.body.text == "no")
            expectNothingDelivered(response)
            #expect(fixture.refreshCalls.isEmpty)
        }
    }

    @Test func pathsThatAreOpenToAnyone() async throws {
        try await expectLeftAlone(.refreshing(), "/open/x")
    }

    @Test func pathsWhereSessionsEnd() async throws {
        try await expectLeftAlone(.refreshing(tenant: #"revoke_on: ["POST /logout"]"#), "/logout", method: "POST")
    }

    @Test func pathsWhoseAnswersHoldTokens() async throws {
        var setup = GatewaySetup.refreshing(
            "from: vault",
            "vault: { capture: [ { path: /auth/login } ] }",
            call: "path: \(RefreshingBackend.refreshPath), send: refresh_token_json"
        )
        setup.sealingKeys = GatewaySetup.sampleSealingKey
        try await expectLeftAlone(setup, "/auth/login", method: "POST")
    }

    /// In every spelling that the backend may take for the same.
    @Test(arguments: ["/auth/refresh", "/auth//refresh", "/auth/%72efresh", "/auth/refresh;x=1"])
    func theRefreshPathItself(_ path: String) async throws {
        try await withEndedSession { fixture, stub, session async throws in
            stub.onRefresh { try await $0.send(RefreshingBackend.unauthorized + "past") }
            let response = try await fixture.request(path, method: "POST", token: session.old)
            expectBackendsRefusal(response)
            expectNothingDelivered(response)
            #expect(fixture.backend.requests.count == 1)
            // Nothing was refused either: the session is as good as before.
            #expect(try await fixture.request("/open/x", token: session.new).status == 200)
        }
    }

    @Test func aBearerTokenWhereOnlyCookiesAreDelivered() async throws {
        try await expectLeftAlone(.refreshingCookies()) {
            ["Authorization: Bearer \($0.old)", "Cookie: refresh=\($0.oldRefresh)"]
        }
    }

    @Test func aCookieWithoutItsRefreshToken() async throws {
        try await expectLeftAlone(.refreshingCookies()) { ["Cookie: access=\($0.old)"] }
    }

    @Test func twoRefreshTokensOfWhichNobodyKnowsWhich() async throws {
        try await expectLeftAlone(.refreshingCookies()) {
            ["Cookie: access=\($0.old); refresh=\($0.oldRefresh); refresh=another"]
        }
    }

    @Test func aTenantWithoutRules() async throws {
        try await expectLeftAlone(GatewaySetup())
    }

    @Test func observedRequestsThatWouldHaveBeenRefused() async throws {
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
