import Testing
import Verification

@testable import IdentityProvider

struct IDTokenChecksTests {
    private static func refusal(header: JSONObject, claims: JSONObject = ["sub": "u"]) -> EndpointRefusal? {
        let parts = [header, claims].map { Base64URL.encode(JSONWriter.bytes(of: $0)) }
        let token = parts.joined(separator: ".") + ".c2lnbmF0dXJl"
        do throws(EndpointRefusal) {
            try IDTokenChecks.check(token, claims, .namedIdentity("company"), accessToken: nil)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [["alg": "RS256"], ["alg": "RS256", "typ": "JWT"], ["alg": "RS256", "typ": "jwt"]] as [JSONObject]
    )
    func idTokensPass(header: JSONObject) {
        #expect(Self.refusal(header: header) == nil)
        #expect(Self.refusal(header: header, claims: ["sub": "u", "typ": "ID"]) == nil)
    }

    @Test(arguments: ["at+jwt", "application/at+jwt", "AT+JWT", "logout+jwt", "secevent+jwt", "dpop+jwt", ""])
    func tokensOfOtherTypesAreRefused(type: String) {
        #expect(Self.refusal(header: ["alg": "RS256", "typ": .string(type)])?.status == 401)
    }

    /// Keycloak's access tokens have `typ: JWT` in the header and `typ: Bearer` in the claims.
    @Test(
        arguments: [["sub": "u", "typ": "Bearer"], ["sub": "u", "typ": "Refresh"], ["sub": "u", "events": [:]]]
            as [JSONObject]
    )
    func claimsOfOtherTokensAreRefused(claims: JSONObject) {
        #expect(Self.refusal(header: ["alg": "RS256", "typ": "JWT"], claims: claims)?.status == 401)
    }
}
