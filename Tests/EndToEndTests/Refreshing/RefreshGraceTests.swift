import TestSupport
import Testing
import Verification

/// A token that has expired is refreshed before the request goes on, for as long as the tenant's `grace` allows.
@Suite struct RefreshGraceTests {
    private static let past: JSONObject = ["exp": TestIssuer.fromNow(-300)]
    private static let setup = GatewaySetup.refreshing("grace: 1h")

    private func expectExpired(_ response: RawResponse) {
        expectChallenge(response, 401, "token_expired", error: "invalid_token")
        expectNothingDelivered(response)
    }

    @Test func expiredTokenIsReplacedBeforeForwarding() async throws {
        try await withStub(Self.setup) { fixture, stub async throws in
            let session = try fixture.session(Self.past)
            stub.give(token: session.new)
            let response = try await fixture.request("/x?y", token: session.old)
            #expect(response.status == 200)
            expectDelivered(response, session.new)
            #expect(fixture.visits(session) == ["POST /auth/refresh old", "GET /x?y new"])
            let line = try await fixture.accessLog.next()
            #expect(line["refreshed"] == true && line["refresh"] == "renewed" && line["outcome"] == "granted")
        }
    }

    @Test func bodyWaitsForRefreshAndArrivesOnce() async throws {
        try await withStub(Self.setup) { fixture, stub async throws in
            let session = try fixture.session(Self.past)
            stub.give(token: session.new)
            var random = SplitMix64(seed: 8)
            // Longer than what could be kept.
            let body = random.variedBytes(200_000)
            let client = try await fixture.connect()
            let fields = ["Content-Length: \(body.count)", "Expect: 100-continue"]
            try await client.send(fixture.head("/x", method: "POST", token: session.old, fields: fields))
            #expect(try await client.head(to: "POST").status == 100)
            try await client.send(body)
            let response = try await client.response(to: "POST")
            #expect(response.status == 200)
            expectDelivered(response, session.new)
            #expect(fixture.visits(session) == ["POST /auth/refresh old", "POST /x new"])
            #expect(fixture.backend.requests.last?.body.bytes == body)
        }
    }

    @Test func pipelinedRequestsWaitForRefresh() async throws {
        try await withStub(Self.setup) { fixture, stub async throws in
            let session = try fixture.session(Self.past)
            stub.give(token: session.new)
            let client = try await fixture.connect()
            try await client.send(
                fixture.head("/1", method: "POST", token: session.old, fields: ["Content-Length: 2"]) + "ab"
                    + fixture.head("/2", token: session.old) + fixture.head("/open/3")
            )
            for path in ["/1", "/2", "/open/3"] {
                let response = try await client.response()
                #expect(response.status == 200)
                if path == "/open/3" {
                    expectNothingDelivered(response)
                } else {
                    expectDelivered(response, session.new)
                }
            }
            #expect(
                fixture.visits(session)
                    == ["POST /auth/refresh old", "POST /1 new", "GET /2 new", "GET /open/3 none"]
            )
        }
    }

    @Test func unauthorizedForNewTokenIsFinal() async throws {
        try await withStub(Self.setup) { fixture, stub async throws in
            let session = try fixture.session(Self.past)
            stub.end(session.new)
            stub.give(token: session.new)
            let response = try await fixture.request("/x", token: session.old)
            expectBackendsRefusal(response)
            expectDelivered(response, session.new)
            #expect(fixture.visits(session) == ["POST /auth/refresh old", "GET /x new"])
        }
    }

    @Test func accessRulesApplyToNewToken() async throws {
        let setup = GatewaySetup.refreshing("grace: 1h", tenant: "access: [ { path: /**, allow: { roles: [staff] } } ]")
        try await withStub(setup) { fixture, stub async throws in
            var past = Self.past
            past["role"] = "staff"
            let session = try fixture.session(past, next: ["role": "guest"])
            stub.give(token: session.new)
            let response = try await fixture.request("/x", token: session.old)
            expectRefusal(response, 403, "insufficient_role")
            #expect(response.fields["X-Refreshed-Token"] == [session.new])
            #expect(fixture.visits(session) == ["POST /auth/refresh old"])
        }
    }

    // MARK: No refresh

    @Test func forgedExpiredTokenIsNotRefreshed() async throws {
        try await withStub(Self.setup) { fixture, stub async throws in
            let session = try fixture.session()
            stub.give(token: session.new)
            let forged = try fixture.token(Self.past, algorithm: .rs256, key: fixture.issuer.stranger)
            expectRefusal(try await fixture.request("/x", token: forged), 401, "invalid_token")
            #expect(fixture.backend.connections == 0)
        }
    }

    @Test func undeliverableTokenStaysExpired() async throws {
        try await withStub(.refreshingCookies("grace: 1h")) { fixture, stub async throws in
            let session = try fixture.session(Self.past)
            stub.give(session.pair)
            let fields = ["Cookie: refresh=\(session.oldRefresh)"]
            expectExpired(try await fixture.request("/x", token: session.old, fields: fields))
            expectExpired(try await fixture.request("/x", fields: ["Cookie: access=\(session.old)"]))
            #expect(fixture.backend.connections == 0)
        }
    }

    // MARK: Failures

    @Test func providerOutageIs503AndKeepsSession() async throws {
        let setup = GatewaySetup.refreshing(
            "grace: 1h",
            call: "path: \"{nobody}/refresh\", send: bearer, access_token: /token",
            tenant: #"backend: { servers: ["{backend}"], timeouts: { response: 500ms } }"#
        )
        try await withStub(setup) { fixture, _ async throws in
            let session = try fixture.session(Self.past)
            let response = try await fixture.request("/x", token: session.old)
            expectRefusal(response, 503, "backend_unavailable")
            #expect(response.fields["Retry-After"].compactMap { Int($0) }.first ?? 0 > 0)
            expectNothingDelivered(response)
            #expect(fixture.backend.connections == 0)
            // Not revoked: the same again.
            #expect(try await fixture.request("/x", token: session.old).status == 503)
        }
    }

    /// Otherwise a holder of only the expired token could sign out its owner with a made-up refresh token.
    @Test func refusedRefreshClearsCookiesAndKeepsTokenUsable() async throws {
        try await withStub(.refreshingCookies("grace: 1h")) { fixture, stub async throws in
            let session = try fixture.session(Self.past)
            stub.give(["error": "invalid_grant"], status: 400)
            let response = try await fixture.request("/x", fields: [session.cookies])
            expectChallenge(response, 401, "token_expired", error: "invalid_token")
            let gone = "Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/; HttpOnly; SameSite=Lax; Secure"
            #expect(response.fields["Set-Cookie"] == ["access=; \(gone)", "refresh=; \(gone)"])
            #expect(fixture.refreshCalls.count == 1 && fixture.backend.requests.count == 1)
            stub.give(session.pair)
            let other = "Cookie: access=\(session.old); refresh=another"
            #expect(try await fixture.request("/x", fields: [other]).status == 200)
        }
    }
}
