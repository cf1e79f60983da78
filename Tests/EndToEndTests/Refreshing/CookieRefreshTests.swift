import Foundation
import Testing
import Verification

/// Clients that have their tokens in cookies: the new ones come as cookies too.
@Suite struct CookieRefreshTests {
    /// A cookie that is set, with its attributes taken apart.
    private struct SetCookie {
        var pair: String
        var attributes: [String]

        init(_ text: String) {
            let parts = text.components(separatedBy: "; ")
            pair = parts.first ?? ""
            attributes = Array(parts.dropFirst())
        }

        func value(_ attribute: String) -> String? {
            attributes.first { $0.hasPrefix("\(attribute)=") }.map { String($0.dropFirst(attribute.count + 1)) }
        }

        /// Unix seconds.
        var expires: Double? {
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.timeZone = TimeZone(identifier: "GMT")
            format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            return value("Expires").flatMap { format.date(from: $0) }?.timeIntervalSince1970
        }

        var maximumAge: Double? { value("Max-Age").flatMap { Double($0) } }

        var withoutTimes: [String] {
            attributes.filter { !$0.hasPrefix("Max-Age=") && !$0.hasPrefix("Expires=") }
        }
    }

    private static let attributes = ["Path=/", "HttpOnly", "Secure", "SameSite=Lax"]

    @Test func bothTokensAreReplacedHereAndThere() async throws {
        try await withStub(.refreshingCookies()) { fixture, stub async throws in
            let session = try fixture.session()
            stub.end(session.old)
            stub.give(session.pair)
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

    /// Another site's page can write the query, and the browser adds the visitor's cookie.
    @Test func aTokenOfTheQueryDoesNotSpendAVisitorsRefreshToken() async throws {
        var setup = GatewaySetup.refreshingCookies("grace: 1h")
        setup.tenant = setup.tenant.replacing("from: [\"cookie:access\"", with: "from: [\"query:t\", \"cookie:access\"")
            .replacing("deliver: {", with: "deliver: { header: X-Refreshed-Token,")
        try await withStub(setup) { fixture, stub async throws in
            let session = try fixture.session()
            stub.end(session.old)
            stub.give(session.pair)
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

    @Test(arguments: [0, 1800])
    func anAccessTokensCookieLivesAsLongAsItCanBeUsed(_ grace: Int) async throws {
        try await withStub(.refreshingCookies("grace: \(grace)s")) { fixture, stub async throws in
            let end = Date().timeIntervalSince1970.rounded(.down) + 5000
            let session = try fixture.session(next: ["exp": .number(JSONNumber(Int(end)))])
            stub.end(session.old)
            stub.give(session.pair)
            let response = try await fixture.request("/x", fields: [session.cookies])
            let cookies = response.fields["Set-Cookie"].map(SetCookie.init)
            #expect(cookies.count == 2)
            let access = try #require(cookies.first)
            let last = end + Double(grace)
            #expect(abs((access.expires ?? 0) - last) <= 1)
            let left = last - Date().timeIntervalSince1970
            #expect(((left - 1)...(left + 60)).contains(access.maximumAge ?? 0))
            // Nobody said how long a refresh token lives.
            #expect(cookies.last?.attributes == Self.attributes)
        }
    }

    @Test func aRefreshTokensCookieLivesAsLongAsTheProviderSays() async throws {
        try await withStub(.refreshingCookies("grace: 1h")) { fixture, stub async throws in
            let session = try fixture.session()
            stub.end(session.old)
            var answer = session.pair
            answer["refresh_expires_in"] = 86_400
            stub.give(answer)
            let response = try await fixture.request("/x", fields: [session.cookies])
            let refresh = try #require(response.fields["Set-Cookie"].map(SetCookie.init).last)
            #expect(refresh.pair == "refresh=\(session.newRefresh)")
            #expect((86_300...86_400).contains(refresh.maximumAge ?? 0))
            #expect(abs((refresh.expires ?? 0) - Date().timeIntervalSince1970 - 86_400) < 60)
        }
    }

    @Test func aRefreshTokenThatStaysIsNotSetAgain() async throws {
        try await withStub(.refreshingCookies()) { fixture, stub async throws in
            let session = try fixture.session()
            stub.end(session.old)
            stub.give(["access_token": .string(session.new)])
            let response = try await fixture.request("/x", fields: [session.cookies])
            #expect(response.status == 200)
            #expect(response.fields["Set-Cookie"].map { SetCookie($0).pair } == ["access=\(session.new)"])
            let last = try #require(fixture.backend.requests.last)
            #expect(
                last.fields["Cookie"]
                    == ["theme=dark; access=\(session.new); refresh=\(session.oldRefresh); lang=en"]
            )
        }
    }

    @Test func theBackendsOwnCookiesStay() async throws {
        let good = BackendScript.answers("HTTP/1.1 200 OK\r\nSet-Cookie: theme=light\r\nContent-Length: 0\r\n\r\n")
        try await withStub(.refreshingCookies(), otherwise: good) { fixture, stub async throws in
            let session = try fixture.session()
            stub.end(session.old)
            stub.give(session.pair)
            let response = try await fixture.request("/x", fields: [session.cookies])
            let pairs = response.fields["Set-Cookie"].map { SetCookie($0).pair }
            #expect(pairs == ["theme=light", "access=\(session.new)", "refresh=\(session.newRefresh)"])
        }
    }

    @Test(arguments: [
        ["Cookie: access=\"{old}\"; refresh=\"{refresh}\""],
        ["Cookie: access={old}", "Cookie: refresh={refresh}; a=b"],
        ["Cookie: access={old}; access={old}; refresh={refresh};"],
    ])
    func cookiesInOtherFormsAreReplacedWhereTheyStand(_ lines: [String]) async throws {
        let filled = { (access: String, refresh: String) in
            lines.map { $0.replacing("{old}", with: access).replacing("{refresh}", with: refresh) }
        }
        try await withStub(.refreshingCookies()) { fixture, stub async throws in
            let session = try fixture.session()
            stub.end(session.old)
            stub.give(session.pair)
            let response = try await fixture.request("/x", fields: filled(session.old, session.oldRefresh))
            #expect(response.status == 200)
            let expected = filled(session.new, session.newRefresh).map { String($0.dropFirst("Cookie: ".count)) }
            #expect(fixture.backend.requests.last?.fields["Cookie"] == expected)
        }
    }

    /// The old token is part of another cookie that is replaced as a whole.
    @Test(arguments: ["{old}x", "x{old}", "x{old}x"])
    func aRefreshCookieThatHoldsTheAccessTokenIsReplacedWhole(_ refresh: String) async throws {
        try await withStub(.refreshingCookies()) { fixture, stub async throws in
            let session = try fixture.session()
            stub.end(session.old)
            stub.give(session.pair)
            let odd = refresh.replacing("{old}", with: session.old)
            let response = try await fixture.request("/x", fields: ["Cookie: refresh=\(odd); access=\(session.old)"])
            #expect(response.status == 200)
            #expect(
                fixture.backend.requests.last?.fields["Cookie"]
                    == ["refresh=\(session.newRefresh); access=\(session.new)"]
            )
        }
    }

    /// The access token comes in a field, the refresh token in a cookie: each is replaced where it is.
    @Test func aBearerClientsRefreshCookieIsReplacedToo() async throws {
        let setup = GatewaySetup.refreshing(
            "from: \"cookie:refresh\"",
            call: "path: \(RefreshingBackend.refreshPath), send: refresh_token_json",
            deliver: "header: X-Refreshed-Token, cookies: { access: /access_token, refresh: /refresh_token }"
        )
        try await withStub(setup) { fixture, stub async throws in
            let session = try fixture.session()
            stub.end(session.old)
            stub.give(session.pair)
            let cookie = "Cookie: refresh=\(session.oldRefresh)"
            let response = try await fixture.request("/x", token: session.old, fields: [cookie])
            #expect(response.status == 200)
            expectDelivered(response, session.new)
            #expect(response.fields["Set-Cookie"].map { SetCookie($0).pair } == ["refresh=\(session.newRefresh)"])
            let last = try #require(fixture.backend.requests.last)
            #expect(last.fields["Cookie"] == ["refresh=\(session.newRefresh)"])
        }
    }

    /// Who has stolen an access token gets no refresh token for it.
    @Test func anAccessTokenAloneBringsNoRefreshToken() async throws {
        try await withStub(.refreshingCookies()) { fixture, stub async throws in
            let session = try fixture.session()
            stub.end(session.old)
            stub.give(session.pair)
            #expect(try await fixture.request("/x", fields: [session.cookies]).status == 200)
            let response = try await fixture.request("/x", fields: ["Cookie: access=\(session.old)"])
            expectBackendsRefusal(response)
            expectNothingDelivered(response)
        }
    }

    @Test(arguments: ["a; Domain=evil", "a b", "a,b", "", "a\"b", "ü"])
    func aValueThatIsNoneForACookieIsNotDelivered(_ value: String) async throws {
        try await withStub(.refreshingCookies()) { fixture, stub async throws in
            let session = try fixture.session()
            stub.end(session.old)
            stub.give(["access_token": .string(session.new), "refresh_token": .string(value)])
            let response = try await fixture.request("/x", fields: [session.cookies])
            expectBackendsRefusal(response)
            expectNothingDelivered(response)
        }
    }

    /// The new token is due itself, and refreshed behind the answer.
    @Test func theRotatedTokenIsUsedNextTime() async throws {
        try await withStub(.refreshingCookies("within: 2h")) { fixture, stub async throws in
            let session = try fixture.session()
            stub.end(session.old)
            stub.give(session.pair)
            #expect(try await fixture.request("/x", fields: [session.cookies]).status == 200)
            let cookies = "Cookie: access=\(session.new); refresh=\(session.newRefresh)"
            #expect(try await fixture.request("/y", fields: [cookies]).status == 200)
            for _ in 0..<5 { _ = try await fixture.backend.arrivals.next() }
            let expected = [session.oldRefresh, session.newRefresh].map { #"{"refresh_token":"\#($0)"}"# }
            #expect(fixture.refreshCalls.map(\.body.text) == expected)
        }
    }
}
