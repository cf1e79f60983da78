import Testing
import Verification

/// The tokens of a completed sign-in.
struct GivenTokens: Sendable {
    let access: String
    let refresh: String
    /// Nil if there is none.
    let id: String?
    let json: JSONObject

    /// Expects a response with tokens, which no log of `fixture` may contain from here on.
    init(_ response: RawResponse, _ fixture: GatewayFixture? = nil, sourceLocation: SourceLocation = #_sourceLocation)
        throws
    {
        #expect(response.status == 200, "\(response.body.text)", sourceLocation: sourceLocation)
        #expect(response.fields["Cache-Control"] == ["no-store"], sourceLocation: sourceLocation)
        json = try #require(response.json, sourceLocation: sourceLocation)
        access = try #require(json["access_token"]?.string, sourceLocation: sourceLocation)
        refresh = try #require(json["refresh_token"]?.string, sourceLocation: sourceLocation)
        id = json["id_token"]?.string
        for token in [access, refresh, id].compactMap(\.self) { fixture?.keepSecret(token) }
    }

    var user: JSONObject? { json["user"]?.object }

    /// Claims of the access token.
    var subject: String? { Self.claims(access)?["sub"]?.string }
    var session: String? { Self.claims(access)?["sid"]?.string }

    /// The key that signed the access token.
    var keyID: String? {
        let header = access.split(separator: ".").first.flatMap { Base64URL.decode(String($0)) }
        return header.flatMap { (try? JSONParser.parse($0))?.object }?["kid"]?.string
    }

    /// The claims of a token, unverified.
    static func claims(_ token: String) -> JSONObject? {
        let parts = token.split(separator: ".")
        guard parts.count == 3 else { return nil }
        return Base64URL.decode(String(parts[1])).flatMap { (try? JSONParser.parse($0))?.object }
    }
}
