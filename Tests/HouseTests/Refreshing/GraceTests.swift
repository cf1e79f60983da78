import TestSupport
import Testing
import Verification

/// A token that has expired is refreshed before the request goes on, for as long as the tenant's `grace` allows.
@Suite struct GraceTests {
    private static let past: JSONObject = ["exp": TestIssuer.fromNow(-300)]
    private static let setup = HouseSetup.refreshing("grace: 1h")

    private func expectExpired(_ response: RawResponse) {
        expectChallenge(response, 401, "token_expired", error: "invalid_token")
        expectNothingDelivered(response)
    }

    @Test func anExpiredTokenIsReplacedBeforeTheBackendSeesIt() async throws {
        try await withDesk(Self.setup) { house, desk async throws in
            let session = try house.session(Self.past)
            desk.give(token: session.new)
            let response = try await house.request("/x?y", token: session.old)
            #expect(response.status == 200)
            expectDelivered(response, session.new)
            #expect(house.visits(session) == ["POST /auth/refresh old", "GET /x?y new"])
            let line = try await house.accessLog.next()
            #expect(line["refreshed"] == true && line["refresh"] == "renewed" && line["outcome"] == "granted")
        }
    }

    @Test func theBodyWaitsAndArrivesOnce() async throws {
        try await withDesk(Self.setup) { house, desk async throws in
            let session = try house.session(Self.past)
            desk.give(token: session.new)
            var random = SplitMix64(seed: 8)
            // Longer than what could be kept.
            let body = random.variedBytes(200_000)
            let client = try await house.connect()
            let fields = ["Content-Length: \(body.count)", "Expect: 100-continue"]
            try await client.send(house.head("/x", method: "POST", token: session.old, fields: fields))
            #expect(try await client.head(to: "POST").status == 100)
            try await client.send(body)
            let response = try await client.response(to: "POST")
            #expect(response.status == 200)
            expectDelivered(response, session.new)
            #expect(house.visits(session) == ["POST /auth/refresh old", "POST /x new"])
            #expect(house.backend.requests.last?.body.bytes == body)
        }
    }

    @Test func pipelinedRequestsWaitForTheirTurn() async throws {
        try await withDesk(Self.setup) { house, desk async throws in
            let session = try house.session(Self.past)
            desk.give(token: session.new)
            let client = try await house.connect()
            try await client.send(
                house.head("/1", method: "POST", token: session.old, fields: ["Content-Length: 2"]) + "ab"
                    + house.head("/2", token: session.old) + house.head("/open/3")
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
                house.visits(session)
                    == ["POST /auth/refresh old", "POST /1 new", "GET /2 new", "GET /open/3 none"]
            )
        }
    }

    @Test func theBackends401ToTheNewTokenIsFinal() async throws {
        try await withDesk(Self.setup) { house, desk async throws in
            let session = try house.session(Self.past)
            desk.end(session.new)
            desk.give(token: session.new)
            let response = try await house.request("/x", token: session.old)
            expectBackendsRefusal(response)
            expectDelivered(response, session.new)
            #expect(house.visits(session) == ["POST /auth/refresh old", "GET /x new"])
        }
    }

    @Test func rulesAreAppliedToTheNewToken() async throws {
        let setup = HouseSetup.refreshing("grace: 1h", tenant: "access: [ { path: /**, allow: { roles: [staff] } } ]")
        try await withDesk(setup) { house, desk async throws in
            var past = Self.past
            past["role"] = "staff"
            let session = try house.session(past, next: ["role": "guest"])
            desk.give(token: session.new)
            let response = try await house.request("/x", token: session.old)
            expectRefusal(response, 403, "insufficient_role")
            #expect(response.fields["X-Refreshed-Token"] == [session.new])
            #expect(house.visits(session) == ["POST /auth/refresh old"])
        }
    }

    // MARK: Where there is none

    @Test func beyondTheGraceATokenIsWorthNothing() async throws {
        try await withDesk(Self.setup) { house, desk async throws in
            // The leeway of a minute is on top.
            let session = try house.session(["exp": TestIssuer.fromNow(-3600 - 120)])
            desk.give(token: session.new)
            expectExpired(try await house.request("/x", token: session.old))
            #expect(house.backend.connections == 0)
        }
    }

    @Test func aForgedTokenIsNotRefreshedForItsAge() async throws {
        try await withDesk(Self.setup) { house, desk async throws in
            let session = try house.session()
            desk.give(token: session.new)
            let forged = try house.token(Self.past, algorithm: .rs256, key: house.issuer.stranger)
            expectRefusal(try await house.request("/x", token: forged), 401, "invalid_token")
            #expect(house.backend.connections == 0)
        }
    }

    @Test func withoutAWayToDeliverATokenIsJustExpired() async throws {
        try await withDesk(.refreshingCookies("grace: 1h")) { house, desk async throws in
            let session = try house.session(Self.past)
            desk.give(session.pair)
            let fields = ["Cookie: refresh=\(session.oldRefresh)"]
            expectExpired(try await house.request("/x", token: session.old, fields: fields))
            expectExpired(try await house.request("/x", fields: ["Cookie: access=\(session.old)"]))
            #expect(house.backend.connections == 0)
        }
    }

    @Test func openPathsTakeAnExpiredTokenForNone() async throws {
        try await withDesk(Self.setup) { house, desk async throws in
            let session = try house.session(Self.past)
            desk.give(token: session.new)
            let response = try await house.request("/open/x", token: session.old)
            #expect(response.status == 200)
            expectNothingDelivered(response)
            #expect(house.visits(session) == ["GET /open/x old"])
            #expect(house.backend.requests[0].fields["X-User-Id"] == [])
        }
    }

    @Test func observedTenantsLetThroughWithoutARefresh() async throws {
        let setup = HouseSetup.refreshing("grace: 1h", tenant: "mode: observe")
        try await withDesk(setup) { house, desk async throws in
            let session = try house.session(Self.past)
            desk.give(token: session.new)
            let response = try await house.request("/x", token: session.old)
            #expect(response.status == 200)
            expectNothingDelivered(response)
            #expect(house.visits(session) == ["GET /x old"])
            #expect(try await house.accessLog.next()["outcome"] == "token_expired")
        }
    }

    // MARK: Where it fails

    @Test func aProviderThatIsDownIs503AndNotTheEnd() async throws {
        let setup = HouseSetup.refreshing(
            "grace: 1h",
            call: "path: \"{nobody}/refresh\", send: bearer, access_token: /token",
            tenant: #"backend: { servers: ["{backend}"], timeouts: { response: 500ms } }"#
        )
        try await withDesk(setup) { house, _ async throws in
            let session = try house.session(Self.past)
            let response = try await house.request("/x", token: session.old)
            expectRefusal(response, 503, "backend_unavailable")
            #expect(response.fields["Retry-After"].compactMap { Int($0) }.first ?? 0 > 0)
            expectNothingDelivered(response)
            #expect(house.backend.connections == 0)
            // Not revoked: the same again.
            #expect(try await house.request("/x", token: session.old).status == 503)
        }
    }

    /// Who has the expired token alone could sign its owner out otherwise, with a refresh token that he made up.
    @Test func aRefusedRefreshTakesTheCookiesAndLeavesTheTokenToOthers() async throws {
        try await withDesk(.refreshingCookies("grace: 1h")) { house, desk async throws in
            let session = try house.session(Self.past)
            desk.give(["error": "invalid_grant"], status: 400)
            let response = try await house.request("/x", fields: [session.cookies])
            expectChallenge(response, 401, "token_expired", error: "invalid_token")
            let gone = "Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/; HttpOnly; Secure; SameSite=Lax"
            #expect(response.fields["Set-Cookie"] == ["access=; \(gone)", "refresh=; \(gone)"])
            #expect(house.refreshCalls.count == 1 && house.backend.requests.count == 1)
            desk.give(session.pair)
            let other = "Cookie: access=\(session.old); refresh=another"
            #expect(try await house.request("/x", fields: [other]).status == 200)
        }
    }

    @Test func anExpiredTokenIsSignedOutOnAnOpenPath() async throws {
        let setup = HouseSetup.refreshing("grace: 1h", tenant: #"revoke_on: ["POST /open/logout"]"#)
        try await withDesk(setup) { house, desk async throws in
            let session = try house.session(Self.past)
            desk.give(token: session.new)
            #expect(try await house.request("/open/logout", method: "POST", token: session.old).status == 200)
            #expect(house.backend.requests[0].fields["X-User-Id"] == [])
            expectRefusal(try await house.request("/x", token: session.old), 401, "token_revoked")
            #expect(house.visits(session) == ["POST /open/logout old"])
        }
    }
}
