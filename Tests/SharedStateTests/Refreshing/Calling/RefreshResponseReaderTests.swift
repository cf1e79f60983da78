import Tenants
import Testing
import Verification

@testable import SharedState

/// How a provider's response is interpreted.
@Suite struct RefreshResponseReaderTests {
    private static let token = "eyJh.eyJz.c2ln"

    private func result(_ body: String, status: Int = 200, _ rules: RefreshRules? = nil) throws -> RefreshCallResult {
        let response = RefreshHTTPResponse(status: status, body: Array(body.utf8))
        return RefreshResponseReader.result(response, try rules ?? SampleCalls.rules(), at: SampleCalls.now)
    }

    private func tokens(_ body: String, _ rules: RefreshRules? = nil) throws -> ReceivedTokens {
        try #require(try result(body, rules).tokens)
    }

    // MARK: Statuses

    @Test(arguments: [200, 201, 202, 203, 299])
    func anySuccessStatusMayHaveTokens(status: Int) throws {
        let body = #"{"access_token":"\#(Self.token)"}"#
        #expect(try result(body, status: status).tokens?.accessToken == Array(Self.token.utf8))
    }

    @Test(arguments: [400, 401, 403, 404, 409, 410, 422, 451, 499])
    func aClientErrorEndsTheSession(status: Int) throws {
        guard case .refused = try result("", status: status) else { throw RefreshFailure.garbledAnswer }
    }

    @Test(arguments: [408, 425, 429, 500, 501, 502, 503, 504, 599])
    func temporaryStatusDoesNotEndTheSession(status: Int) throws {
        let result = try result(#"{"access_token":"\#(Self.token)"}"#, status: status)
        #expect(result.trouble == .providerFailed)
        #expect(result.mayRetry)
    }

    @Test(arguments: [-1, 0, 100, 101, 199, 300, 301, 302, 303, 304, 307, 308, 399, 600, 999])
    func invalidResponseIsGarbled(status: Int) throws {
        let result = try result(#"{"access_token":"\#(Self.token)"}"#, status: status)
        #expect(result.trouble == .garbledAnswer)
        #expect(!result.mayRetry)
    }

    // MARK: Access tokens

    @Test(arguments: [
        "", " ", "null", "{}", "[]", "true", "\"a.b.c\"", "<html></html>", #"{"access_token":"a.b.c""#,
        #"{"access_token":"a.b.c"} x"#, #"{"access_token":"a.b.c","access_token":"a.b.c"}"#,
        #"{"access_token":null}"#, #"{"access_token":7}"#, #"{"access_token":["a.b.c"]}"#,
        #"{"access_token":{"access_token":"a.b.c"}}"#, #"{"ACCESS_TOKEN":"a.b.c"}"#, #"{"token":"a.b.c"}"#,
    ])
    func anAnswerWithoutAnAccessTokenIsGarbled(body: String) throws {
        #expect(try result(body).trouble == .garbledAnswer)
    }

    @Test(arguments: [
        "", "opaque", "a.b", "a.b.c.d", "a.b.c.d.e", "a.b.c=", "a.b. c", "a.b.c\\n", "a.b.c\\u0000", "a.b.c,d",
        "a.b.c;d",
        "a.b.ç", "a+b.c/d.e", "a.b.c\\r\\nSet-Cookie: x=y", "Bearer a.b.c",
    ])
    func whatHasNotTheFormOfATokenIsGarbled(token: String) throws {
        #expect(try result(#"{"access_token":"\#(token)"}"#).trouble == .garbledAnswer)
    }

    @Test func accessTokenLengthIsLimited() throws {
        let longest = "a.b." + String(repeating: "c", count: 16_380)
        #expect(try tokens(#"{"access_token":"\#(longest)"}"#).accessToken.count == 16_384)
        #expect(try result(#"{"access_token":"\#(longest)c"}"#).trouble == .garbledAnswer)
    }

    @Test(arguments: [
        ("/data/0/token", #"{"data":[{"token":"a.b.c"}]}"#), ("", #""a.b.c""#), ("/1", #"["x.x.x","a.b.c"]"#),
        ("/a~1b/m~0n", #"{"a/b":{"m~n":"a.b.c"},"a":{"b":"x.x.x"}}"#), ("/", #"{"":"a.b.c"}"#),
        ("/t", #"{"t":"\u0061.b.c"}"#),
    ])
    func theAccessTokenIsWhereThePointerLeads(pointer: String, body: String) throws {
        let rules = try SampleCalls.rules(accessToken: pointer)
        #expect(try tokens(body, rules).accessToken == Array("a.b.c".utf8))
    }

    // MARK: Refresh tokens

    private func refreshToken(_ value: String) throws -> RefreshCallResult {
        try result(#"{"access_token":"a.b.c","refresh_token":\#(value)}"#)
    }

    @Test(arguments: [("\"x\"", "x"), (#""!~{}:/\"\\""#, #"!~{}:/"\"#), (#""\u0041""#, "A")])
    func refreshTokenIsUnchanged(value: String, token: String) throws {
        #expect(try refreshToken(value).tokens?.refreshToken == Array(token.utf8))
    }

    @Test func missingRefreshTokenKeepsTheOldOne() throws {
        #expect(try tokens(#"{"access_token":"a.b.c"}"#).refreshToken == nil)
        #expect(try refreshToken("null").tokens == ReceivedTokens(accessToken: Array("a.b.c".utf8), cookies: []))
    }

    @Test func unconfiguredRefreshTokenIsIgnored() throws {
        let rules = try SampleCalls.rules(refreshToken: nil)
        #expect(try tokens(#"{"access_token":"a.b.c","refresh_token":7}"#, rules).refreshToken == nil)
    }

    /// A rotated refresh token that cannot be kept would be missing at the next call: the test must detect it now.
    @Test(arguments: ["\"\"", "7", "true", "[]", "{}", "\" \"", "\"a b\"", "\"é\"", "\"a\\u0000\"", "\"\\u007f\""])
    func invalidRefreshTokenIsGarbled(value: String) throws {
        #expect(try refreshToken(value).trouble == .garbledAnswer)
    }

    @Test func refreshTokenLengthIsLimited() throws {
        let longest = String(repeating: "r", count: 16_384)
        #expect(try refreshToken("\"\(longest)\"").tokens?.refreshToken?.count == 16_384)
        #expect(try refreshToken("\"\(longest)r\"").trouble == .garbledAnswer)
    }
}
