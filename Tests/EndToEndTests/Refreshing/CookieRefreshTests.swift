import Foundation
import Testing
import Verification

/// Clients with tokens in cookies get the new ones as cookies.
@Suite struct CookieRefreshTests {
    /// A `Set-Cookie` field, parsed.
    private struct SetCookie {
        var pair: String
        var attributes: [String]

        init(_ text: String) {
            let parts = text.components(separatedBy: "; ")
            pair = parts.first ?? ""
            attributes = Array(parts.dropFirst())
        }

        var withoutTimes: [String] {
            attributes.filter { !$0.hasPrefix("Max-Age=") && !$0.hasPrefix("Expires=") }
        }
    }

    private static let attributes = ["Path=/", "HttpOnly", "SameSite=Lax", "Secure"]

    @Test func bothCookiesAreReplacedForClientAndBackend() async throws {
        try await withEndedSession(.refreshingCookies(), giving: .pair) { fixture, _, session async throws in
            let response = try await fixture.request("/x", fields: [session.cookies])
            #expect(response.status == 200 && response.body.text == "ok")
            #expect(response.fields["X-Refreshed-Token"] == [])
            #expect(response.fields["Cache-Control"] == ["no-store"])
            let cookies = response.fields["Set-Cookie"].map(SetCookie.init)
            #expect(cookies.map(\.pair) == ["access=\(session.new)", "refresh=\(session.newRefresh)"])
            #expect(cookies.allSatisfy { $0.withoutTimes == Self.attributes })
            #expect(fixture.visits(session) == ["GET /x old", "POST /auth/refresh none", "GET /x new"])
            let call = try #require(fixture.refreshCalls.first)
            #expect(call.body.text == #"{"refresh_token":"\#(session.oldRefresh)"}"#)
            #expect(call.fields["Content-Type"] == ["application/json"])
            #expect(call.fields["Cookie"] == [] && call.fields["Authorization"] == [])
            let last = try #require(fixture.backend.requests.last)
            #expect(
                last.fields["Cookie"]
                    == ["theme=dark; access=\(session.new); refresh=\(session.newRefresh); lang=en"]
            )
        }
    }

    /// Another site's page can write the query, and the browser adds the cookie.
    @Test func queryTokenDoesNotSpendRefreshCookie() async throws {
        var setup = GatewaySetup.refreshingCookies("grace: 1h")
        setup.tenant = setup.tenant.replacing("from: [\"cookie:access\"", with: "from: [\"query:t\", \"cookie:access\"")
            .replacing("deliver: {", with: "deliver: { header: X-Refreshed-Token,")
        try await withEndedSession(setup, giving: .pair) { fixture, _, session async throws in
            let past = Int(Date().timeIntervalSince1970) - 60
            let theirs = try fixture.token([
                "iss": "https://secret.test", "sub": "mallory", "exp": .number(JSONNumber(past)),
            ])
            for token in [session.old, theirs] {
                let cookie = "Cookie: refresh=\(session.oldRefresh)"
                let response = try await fixture.request("/x?t=\(token)", fields: [cookie])
                #expect(response.status == 401)
            }
            #expect(fixture.refreshCalls.isEmpty)
        }
    }

    /// A web client still sends a bearer token that it once kept.
    @Test func cookieIsRefreshedBesideStaleBearerToken() async throws {
        var setup = GatewaySetup.refreshingCookies()
        setup.tenant = setup.tenant.replacing(
            "from: [\"cookie:access\", bearer]",
            with: "from: [bearer, \"cookie:access\"]"
        )
        .replacing("deliver: {", with: "deliver: { header: X-Refreshed-Token,")
        try await withEndedSession(setup, giving: .pair) { fixture, _, session async throws in
            let stale = try fixture.token(["sub": "mallory", "exp": TestIssuer.fromNow(-86_400)])
            let response = try await fixture.request("/x", token: stale, fields: [session.cookies])
            #expect(response.status == 200)
            // Delivered to where the token that counts is.
            #expect(response.fields["X-Refreshed-Token"] == [])
            let pairs = response.fields["Set-Cookie"].map { SetCookie($0).pair }
            #expect(pairs == ["access=\(session.new)", "refresh=\(session.newRefresh)"])
            #expect(fixture.visits(session) == ["GET /x old", "POST /auth/refresh none", "GET /x new"])
            for request in fixture.backend.requests { #expect(request.fields["Authorization"] == []) }
        }
    }

    @Test func backendsCookiesArePreserved() async throws {
        let good = BackendScript.response("HTTP/1.1 200 OK\r\nSet-Cookie: theme=light\r\nContent-Length: 0\r\n\r\n")
        try await withEndedSession(.refreshingCookies(), otherwise: good, giving: .pair) {
            fixture,
            _,
            session async throws in
            let response = try await fixture.request("/x", fields: [session.cookies])
            let pairs = response.fields["Set-Cookie"].map { SetCookie($0).pair }
            #expect(pairs == ["theme=light", "access=\(session.new)", "refresh=\(session.newRefresh)"])
        }
    }

    /// The access token comes in a header, the refresh token in a cookie: each is replaced there.
    @Test func refreshCookieOfBearerClientIsReplaced() async throws {
        let setup = GatewaySetup.refreshing(
            "from: \"cookie:refresh\"",
            call: "path: \(RefreshingBackend.refreshPath), send: refresh_token_json",
            deliver: "header: X-Refreshed-Token, cookies: { access: /access_token, refresh: /refresh_token }"
        )
        try await withEndedSession(setup, giving: .pair) { fixture, _, session async throws in
            let cookie = "Cookie: refresh=\(session.oldRefresh)"
            let response = try await fixture.request("/x", token: session.old, fields: [cookie])
            #expect(response.status == 200)
            expectDelivered(response, session.new)
            #expect(response.fields["Set-Cookie"].map { SetCookie($0).pair } == ["refresh=\(session.newRefresh)"])
            let last = try #require(fixture.backend.requests.last)
            #expect(last.fields["Cookie"] == ["refresh=\(session.newRefresh)"])
        }
    }

    /// A stolen access token must not yield a refresh token.
    @Test func accessTokenAloneGetsNoRefreshToken() async throws {
        try await withEndedSession(.refreshingCookies(), giving: .pair) { fixture, _, session async throws in
            let refreshed = try await fixture.request("/x", fields: [session.cookies])
            #expect(refreshed.status == 200, "\(refreshed)")
            let response = try await fixture.request("/x", fields: ["Cookie: access=\(session.old)"])
            expectBackendsRefusal(response)
            expectNothingDelivered(response)
        }
    }

    /// The new token is due as well and refreshed in the background.
    @Test func rotatedRefreshTokenIsUsedNext() async throws {
        try await withEndedSession(.refreshingCookies("within: 2h"), giving: .pair) {
            fixture,
            _,
            session async throws in
            #expect(try await fixture.request("/x", fields: [session.cookies]).status == 200)
            let cookies = "Cookie: access=\(session.new); refresh=\(session.newRefresh)"
            #expect(try await fixture.request("/y", fields: [cookies]).status == 200)
            for _ in 0..<5 { _ = try await fixture.backend.arrivals.next() }
            let expected = [session.oldRefresh, session.newRefresh].map { #"{"refresh_token":"\#($0)"}"# }
            #expect(fixture.refreshCalls.map(\.body.text) == expected)
        }
    }
}
