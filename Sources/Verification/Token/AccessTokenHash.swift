/// `at_hash`, which binds an access token to the ID token that it came with (OpenID Connect Core 1.0 section 3.1.3.6).
public enum AccessTokenHash {
    /// The left half of the hash that the ID token's signature uses, in base64url.
    ///
    /// - Parameter algorithm: As the ID token's header names it.
    /// - Returns: nil for an unknown algorithm.
    public static func value(of accessToken: String, algorithm: String) -> String? {
        guard let algorithm = SignatureAlgorithm(rawValue: algorithm),
            let digest = MessageDigest(algorithm.hash)?.digest(Array(accessToken.utf8).span)
        else { return nil }
        return Base64URL.encode(Array(digest.prefix(digest.count / 2)))
    }
}
