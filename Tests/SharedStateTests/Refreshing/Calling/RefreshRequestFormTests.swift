import Foundation
import Tenants
import TestSupport
import Testing

@testable import SharedState

/// What each strategy sends, to the byte.
@Suite struct RefreshRequestFormTests {
    private func request(
        _ strategy: RefreshCall.Strategy,
        method: String = "POST",
        refreshToken: String? = "old-refresh"
    ) throws -> RefreshHTTPRequest {
        try RefreshRequestForm.request(
            try SampleCalls.rules(strategy, method: method).call,
            try SampleCalls.credential(refreshToken: refreshToken),
            to: "/session/refresh?by=gateway"
        )
    }

    @Test func bearerSendsTheOldTokenAndNoBody() throws {
        let token = String(decoding: try SampleCalls.credential().accessToken, as: UTF8.self)
        let request = try request(.bearer, method: "PUT", refreshToken: nil)
        #expect(
            request.text == """
                PUT /session/refresh?by=gateway
                Accept: application/json
                User-Agent: gatehouse
                Authorization: Bearer \(token)


                """
        )
        #expect(request.host == Array("app.test".utf8))
    }

    @Test func bearerSendsNoRefreshToken() throws {
        #expect(try !request(.bearer).text.contains("old-refresh"))
    }

    @Test func refreshTokenJSONSendsOnlyTheRefreshToken() throws {
        #expect(
            try request(.refreshTokenJSON, refreshToken: #"a"b\c"#).text == #"""
                POST /session/refresh?by=gateway
                Accept: application/json
                User-Agent: gatehouse
                Content-Type: application/json

                {"refresh_token":"a\"b\\c"}
                """#
        )
    }

    @Test func oauth2NamesAClientWithoutASecretInTheForm() throws {
        #expect(
            try request(.oauth2(clientID: "app one", clientSecret: nil), refreshToken: "a+b&c=d/e%~").text == """
                POST /session/refresh?by=gateway
                Accept: application/json
                User-Agent: gatehouse
                Content-Type: application/x-www-form-urlencoded

                grant_type=refresh_token&refresh_token=a%2Bb%26c%3Dd%2Fe%25%7E&client_id=app+one
                """
        )
    }

    @Test func oauth2AuthenticatesAClientWithASecretByHTTPBasic() throws {
        // The base64 of "app%3Aone:s%C3%A9cret+%26%2B%3F" by another hand.
        let basic = "YXBwJTNBb25lOnMlQzMlQTljcmV0KyUyNiUyQiUzRg=="
        let request = try request(.oauth2(clientID: "app:one", clientSecret: Secret("sécret &+?")))
        #expect(
            request.text == """
                POST /session/refresh?by=gateway
                Accept: application/json
                User-Agent: gatehouse
                Authorization: Basic \(basic)
                Content-Type: application/x-www-form-urlencoded

                grant_type=refresh_token&refresh_token=old-refresh
                """
        )
    }

    @Test(arguments: [
        ("a", "b", "YTpi"), ("a", "bc", "YTpiYw=="), ("ab", "cd", "YWI6Y2Q="), ("~~", "", "JTdFJTdFOg=="),
    ])
    func basicIsPaddedBase64(clientID: String, secret: String, basic: String) throws {
        let request = try request(.oauth2(clientID: clientID, clientSecret: Secret(secret)))
        #expect(request.text.contains("\nAuthorization: Basic \(basic)\n"))
    }

    @Test func basicCredentialsAreBase64ForAnySecret() throws {
        var random = SplitMix64(seed: 7617)
        for _ in 0..<300 {
            let secret = (0..<random.within(1...40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let request = try request(.oauth2(clientID: "app", clientSecret: Secret(secret)))
            let field = try #require(request.fields.first { $0.name == "Authorization" })
            let pair = try #require(Data(base64Encoded: Data(field.value.dropFirst("Basic ".utf8.count))))
            #expect(Array(pair) == Array("app:".utf8) + FormText.encoded(secret))
        }
    }

    @Test func oauth2WithoutClientSendsOnlyTheGrant() throws {
        #expect(
            try request(.oauth2(clientID: nil, clientSecret: nil)).text
                .hasSuffix("\n\ngrant_type=refresh_token&refresh_token=old-refresh")
        )
    }

    @Test(arguments: [nil, "", "two words", "line\nend", "naïve", "tab\t", String(repeating: "x", count: 16_385)])
    func invalidRefreshTokenIsNotSent(token: String?) throws {
        for strategy in [RefreshCall.Strategy.refreshTokenJSON, .oauth2(clientID: nil, clientSecret: nil)] {
            #expect(throws: RefreshFailure.noRefreshToken) { try request(strategy, refreshToken: token) }
        }
    }

    @Test func invalidUTF8IsNotSent() throws {
        let credential = try SampleCalls.credential(refreshTokenBytes: [0x61, 0xFF, 0x62])
        #expect(throws: RefreshFailure.noRefreshToken) {
            try RefreshRequestForm.request(try SampleCalls.rules().call, credential, to: "/")
        }
    }

    @Test func refreshTokenOfMaximumLengthIsSent() throws {
        let token = String(repeating: "x", count: 16_384)
        #expect(
            try request(.refreshTokenJSON, refreshToken: token).body.count == #"{"refresh_token":""}"#.count + 16_384
        )
    }

    @Test func everyByteIsFormEncoded() {
        let bytes = (UInt8.min...UInt8.max).map { $0 }
        var decoded: [UInt8] = []
        var text = FormText.encoded(bytes)[...]
        while let byte = text.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = String(decoding: text.prefix(2), as: UTF8.self)
                text = text.dropFirst(2)
                #expect(digits == digits.uppercased())
                decoded.append(UInt8(digits, radix: 16) ?? 0)
            default:
                #expect(Character(UnicodeScalar(byte)).isLetter || Array("0123456789*-._".utf8).contains(byte))
                decoded.append(byte)
            }
        }
        #expect(decoded == bytes)
    }
}
