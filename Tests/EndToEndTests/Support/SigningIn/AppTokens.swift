import Testing
import Verification

/// What an app is given that has signed in.
struct GivenTokens {
    let access: String
    let refresh: String
    /// Nil where none was given.
    let id: String?
    let answer: JSONObject

    /// Expects an answer with tokens, which no log may show from here on.
    init(_ response: RawResponse, _ fixture: GatewayFixture, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(response.status == 200, "\(response.body.text)", sourceLocation: sourceLocation)
        #expect(response.fields["Cache-Control"] == ["no-store"], sourceLocation: sourceLocation)
        answer = try #require(response.json, sourceLocation: sourceLocation)
        access = try #require(answer["access_token"]?.string, sourceLocation: sourceLocation)
        refresh = try #require(answer["refresh_token"]?.string, sourceLocation: sourceLocation)
        id = answer["id_token"]?.string
        for token in [access, refresh, id].compactMap(\.self) { fixture.keepSecret(token) }
    }

    var user: JSONObject? { answer["user"]?.object }

    /// What a token says, unverified.
    static func claims(_ token: String) -> JSONObject? {
        let parts = token.split(separator: ".")
        guard parts.count == 3 else { return nil }
        return Base64URL.decode(String(parts[1])).flatMap { (try? JSONParser.parse($0))?.object }
    }
}
