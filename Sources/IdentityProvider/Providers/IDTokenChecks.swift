import Verification

/// What is checked of a named provider's ID token beside its policy.
enum IDTokenChecks {
    /// - Parameters:
    ///   - claims: Verified.
    ///   - accessToken: That came with it; nil for none.
    static func check(
        _ token: String,
        _ claims: JSONObject,
        _ kind: ProviderTokenKind,
        accessToken: String?
    ) throws(EndpointRefusal) {
        guard let header = (try? UnverifiedToken(Array(token.utf8)))?.header else {
            throw .invalidToken("\(kind.noun) is refused: its header cannot be read")
        }
        // Another token for the same audience is no proof that somebody signs in here: access tokens (RFC 9068 section 2.1),
        // which Keycloak tells by the claim `typ`, and logout tokens, which have `events` (RFC 8725 section 3.12).
        let type = header["typ"]?.string?.lowercased()
        let kindClaim = claims["typ"]?.string?.lowercased()
        guard type == nil || type == "jwt", kindClaim == nil || kindClaim == "id", claims["events"] == nil else {
            throw .invalidToken("\(kind.noun) is refused: it is no ID token")
        }
        guard let hash = claims["at_hash"], let accessToken else { return }
        guard let text = hash.string, let algorithm = header["alg"]?.string,
            let expected = AccessTokenHash.value(of: accessToken, algorithm: algorithm),
            PlainText.areEqual(text, expected)
        else { throw .invalidToken("\(kind.noun) is refused: its at_hash is not that of the access token") }
    }
}
