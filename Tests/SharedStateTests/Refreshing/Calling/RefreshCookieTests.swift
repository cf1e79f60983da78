import Tenants
import Testing
import Time
import Verification

@testable import SharedState

/// The cookies in which new tokens are delivered, and their lifetimes.
@Suite struct RefreshCookieTests {
    private let now = SampleCalls.now

    private func cookies(
        _ body: String,
        accessToken: String = "/access_token",
        refreshToken: String? = "/refresh_token",
        _ cookies: [(name: String, value: String)] = [("access", "/access_token"), ("refresh", "/refresh_token")]
    ) throws -> [Renewal.Cookie]? {
        let rules = try SampleCalls.rules(accessToken: accessToken, refreshToken: refreshToken, cookies: cookies)
        let response = RefreshHTTPResponse(status: 200, body: Array(body.utf8))
        return RefreshResponseReader.result(response, rules, at: now).tokens?.cookies
    }

    private func cookie(_ name: String, _ value: String, _ expiresAt: UnixTime? = nil) -> Renewal.Cookie {
        Renewal.Cookie(name: name, value: Array(value.utf8), expiresAt: expiresAt)
    }

    // MARK: Values

    @Test func cookiesAreInTheOrderOfTheRules() throws {
        let body = #"{"access_token":"a.b.c","refresh_token":"r","more":{"csrf":"!#$%&'()*+-./:<=>?@[]^_`{|}~"}}"#
        #expect(
            try cookies(body, [("csrf", "/more/csrf"), ("refresh", "/refresh_token"), ("access", "/access_token")])
                == [cookie("csrf", "!#$%&'()*+-./:<=>?@[]^_`{|}~"), cookie("refresh", "r"), cookie("access", "a.b.c")]
        )
    }

    @Test(arguments: [#""#, #","refresh_token":null"#])
    func missingValueLeavesTheCookieUnchanged(members: String) throws {
        #expect(try cookies(#"{"access_token":"a.b.c"\#(members)}"#) == [cookie("access", "a.b.c")])
    }

    @Test(arguments: [
        "7", "false", "{}", "[]", #""a b""#, #""a;Domain=evil.test""#, #""a,b""#, #""\"a\"""#, #""a\\b""#,
        #""a\r\nb: c""#,
        #""\u0000""#, #""\u007f""#, #""é""#,
    ])
    func whatMayNotStandInACookieIsGarbled(value: String) throws {
        let body = #"{"access_token":"a.b.c","csrf":\#(value)}"#
        #expect(try cookies(body, [("csrf", "/csrf")]) == nil)
    }

    @Test func refreshTokenWithInvalidCookieOctetsIsGarbled() throws {
        let body = #"{"access_token":"a.b.c","refresh_token":"a;b"}"#
        #expect(try cookies(body, [("access", "/access_token")]) != nil)
        #expect(try cookies(body) == nil)
    }

    @Test func cookieLengthIsLimited() throws {
        let longest = String(repeating: "v", count: 16_384)
        #expect(try cookies(#"{"access_token":"a.b.c","v":"\#(longest)"}"#, [("v", "/v")])?.count == 1)
        #expect(try cookies(#"{"access_token":"a.b.c","v":"\#(longest)v"}"#, [("v", "/v")]) == nil)
    }

    // MARK: Expiry

    @Test func cookieExpiresWithItsToken() throws {
        let access = try SampleCalls.token(["exp": 2_000_000_900])
        let refresh = try SampleCalls.token(["exp": 2_000_604_800, "typ": "refresh"])
        let body =
            #"{"access_token":"\#(access)","refresh_token":"\#(refresh)","expires_in":1,"refresh_expires_in":1}"#
        #expect(
            try cookies(body)
                == [cookie("access", access, 2_000_000_900), cookie("refresh", refresh, 2_000_604_800)]
        )
    }

    @Test(arguments: ["refresh_expires_in", "refresh_token_expires_in"])
    func opaqueTokenExpiresByTheResponse(member: String) throws {
        let body = #"{"access_token":"a.b.c","expires_in":300,"refresh_token":"r","\#(member)":86400.5}"#
        #expect(try cookies(body) == [cookie("access", "a.b.c", now + 300), cookie("refresh", "r", now + 86_400.5)])
    }

    @Test func lifetimeIsReadBesideItsToken() throws {
        let body = #"{"expires_in":7,"data":{"access":"a.b.c","expires_in":300},"more":[{"r":"r"},1]}"#
        #expect(
            try cookies(
                body,
                accessToken: "/data/access",
                refreshToken: "/more/0/r",
                [("access", "/data/access"), ("refresh", "/more/0/r")]
            ) == [cookie("access", "a.b.c", now + 300), cookie("refresh", "r")]
        )
    }

    @Test func otherValuesAreSessionCookies() throws {
        let body = #"{"access_token":"a.b.c","expires_in":300,"refresh_expires_in":300,"csrf":"x"}"#
        #expect(try cookies(body, [("csrf", "/csrf")]) == [cookie("csrf", "x")])
    }

    @Test(arguments: ["null", "\"300\"", "true", "1e300", "0", "-1", "-1e300", "[]", "252000000000"])
    func invalidLifetimesAreIgnored(seconds: String) throws {
        let body =
            #"{"access_token":"a.b.c","refresh_token":"r","expires_in":\#(seconds),"refresh_expires_in":\#(seconds)}"#
        #expect(try cookies(body) == [cookie("access", "a.b.c"), cookie("refresh", "r")])
    }

    @Test(arguments: [300_000_000_000, -1, "tomorrow", nil] as [JSONValue])
    func implausibleExpiryIsIgnored(expiry: JSONValue) throws {
        let access = try SampleCalls.token(["exp": expiry])
        let body = #"{"access_token":"\#(access)","expires_in":60}"#
        #expect(try cookies(body) == [cookie("access", access, now + 60)])
    }

    @Test func bareTokenResponseHasNoLifetime() throws {
        #expect(try cookies(#""a.b.c""#, accessToken: "", [("access", "")]) == [cookie("access", "a.b.c")])
    }
}
