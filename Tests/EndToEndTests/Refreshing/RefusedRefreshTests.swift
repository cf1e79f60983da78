import TestSupport
import Testing
import Verification

/// A refresh without new tokens passes on the backend's 401. Only a provider's refusal ends the session.
@Suite struct RefusedRefreshTests {
    /// Expects the session to go on: the old token still reaches the backend.
    private func expectUntouched(_ fixture: GatewayFixture, _ session: SampleSession, _ comment: String = "")
        async throws
    {
        let next = try await fixture.request("/next", token: session.old)
        expectBackendsRefusal(next, comment)
        expectNothingDelivered(next, comment)
    }

    // MARK: Refused

    @Test(arguments: [400, 401, 403, 404, 409])
    func refusedRefreshEndsSession(_ status: Int) async throws {
        try await withEndedSession { fixture, stub, session async throws in
            stub.give(["error": "invalid_grant"], status: status)
            let response = try await fixture.request("/x", token: session.old)
            expectBackendsRefusal(response)
            expectNothingDelivered(response)
            #expect(fixture.visits(session) == ["GET /x old", "POST /auth/refresh old"])
            expectRefusal(try await fixture.request("/x", token: session.old), 401, "token_revoked")
            // With all its tokens.
            let sibling = try fixture.token(["jti": "sibling", "sid": "s1"])
            expectRefusal(try await fixture.request("/x", token: sibling), 401, "token_revoked")
            #expect(try await fixture.request("/x", token: try fixture.token(["sid": "s2"])).status == 200)
            #expect(fixture.refreshCalls.count == 1)
        }
    }

    @Test func refusedRefreshClearsCookies() async throws {
        try await withEndedSession(.refreshingCookies()) { fixture, stub, session async throws in
            stub.give(["error": "invalid_grant"], status: 400)
            let response = try await fixture.request("/x", fields: [session.cookies])
            expectBackendsRefusal(response)
            let gone = "Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/; HttpOnly; SameSite=Lax; Secure"
            #expect(response.fields["Set-Cookie"] == ["access=; \(gone)", "refresh=; \(gone)"])
            #expect(response.fields["Cache-Control"] == ["no-store"])
            expectRefusal(try await fixture.request("/x", fields: [session.cookies]), 401, "token_revoked")
        }
    }

    /// Nobody has signed out: the webhook is told that the session was revoked, and why.
    @Test func refusedRefreshIsToldAsARevocation() async throws {
        let webhook = try await RecordingBackend.start(.ok)
        try await attempt {
            var setup = GatewaySetup.refreshing()
            let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
            setup.gateway += "\nevents: { url: \"http://127.0.0.1:\(webhook.port)/\", secret: \"\(secret)\" }\n"
            try await withEndedSession(setup) { fixture, stub, session async throws in
                stub.give(["error": "invalid_grant"], status: 400)
                expectBackendsRefusal(try await fixture.request("/x", token: session.old))
                let request = try await webhook.arrivals.next()
                let event = try #require(try JSONParser.parse(Array(request.body.text.utf8)).object)
                let members = [event["type"], event["sid"], event["reason"]].map { $0?.string }
                #expect(members == ["revoked", "s1", "its refresh was refused"])
            }
        } finally: {
            await webhook.stop()
        }
    }

    // MARK: Unavailable

    @Test(arguments: ["garbage", "no token", "token of another kind", "array", "empty", "huge", "redirect"])
    func garbledProviderResponseKeepsSession(_ kind: String) async throws {
        try await withEndedSession { fixture, stub, session async throws in
            stub.onRefresh { exchange in
                switch kind {
                case "garbage": try await exchange.sendOK("{ not json")
                case "no token": try await exchange.sendOK(#"{"access_token":"\#(session.new)"}"#)
                case "token of another kind": try await exchange.sendOK(#"{"token":{"value":"\#(session.new)"}}"#)
                case "array": try await exchange.sendOK(#"["\#(session.new)"]"#)
                case "empty": try await exchange.send("HTTP/1.1 204 No Content\r\n\r\n")
                case "redirect":
                    try await exchange.send("HTTP/1.1 307 X\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")
                default:
                    let filling = String(repeating: "x", count: 1 << 20)
                    let text = #"{"token":"\#(session.new)","filling":"\#(filling)"}"#
                    // The gateway may stop reading.
                    try? await exchange.sendOK(text)
                }
            }
            let response = try await fixture.request("/x", token: session.old)
            expectBackendsRefusal(response)
            expectNothingDelivered(response)
            #expect(fixture.visits(session) == ["GET /x old", "POST /auth/refresh old"])
            let line = try await fixture.accessLog.next()
            #expect(line["refreshed"] == false && line["refresh"] == "unavailable")
            #expect(line["refresh_reason"] == .string(kind == "huge" ? "too_large_answer" : "garbled_answer"))
            try await expectUntouched(fixture, session)
        }
    }

    /// It is tried three times, a second apart.
    @Test(arguments: ["fails", "refuses connections"])
    func providerOutageKeepsSession(_ kind: String) async throws {
        let isUp = kind == "fails"
        let path = isUp ? RefreshingBackend.refreshPath : "\"{nobody}/refresh\""
        let setup = GatewaySetup.refreshingCookies(call: "path: \(path), send: refresh_token_json")
        try await withEndedSession(setup) { fixture, stub, session async throws in
            stub.give(["error": "server_error"], status: 503)
            let response = try await fixture.request("/x", fields: [session.cookies])
            expectBackendsRefusal(response)
            expectNothingDelivered(response)
            #expect(fixture.refreshCalls.count == (isUp ? 3 : 0))
            let line = try await fixture.accessLog.next()
            #expect(line["refresh"] == "unavailable")
            #expect(line["refresh_reason"] == .string(isUp ? "provider_failed" : "network"))
            let next = try await fixture.request("/next", fields: [session.cookies])
            expectBackendsRefusal(next)
            expectNothingDelivered(next)
        }
    }

    // MARK: Rejected tokens

    @Test(arguments: [
        "other subject", "other issuer", "forged", "expired", "same", "no token at all", "other audience",
    ])
    func tokenOfAnotherSessionIsNotDelivered(_ kind: String) async throws {
        try await withEndedSession { fixture, stub, session async throws in
            let claims: JSONObject = ["jti": "new", "sid": "s1"]
            let token =
                switch kind {
                case "other subject": try fixture.token(["jti": "new", "sid": "s1", "sub": "mallory"])
                case "other issuer": try fixture.token(claims, algorithm: .rs256)
                case "forged": try fixture.token(claims, algorithm: .rs256, key: fixture.issuer.stranger)
                case "expired": try fixture.token(["jti": "new", "sid": "s1", "exp": TestIssuer.fromNow(-3600)])
                case "same": session.old
                case "other audience": try fixture.token(["jti": "new", "sid": "s1", "aud": "another"])
                default: "a.b"
                }
            stub.give(token: token)
            let response = try await fixture.request("/x", token: session.old)
            expectBackendsRefusal(response)
            expectNothingDelivered(response)
            #expect(fixture.visits(session) == ["GET /x old", "POST /auth/refresh old"])
            #expect(try await fixture.accessLog.next()["refreshed"] == false)
            try await expectUntouched(fixture, session)
        }
    }
}
