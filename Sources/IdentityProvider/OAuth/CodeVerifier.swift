import Verification

/// Proof that a code is redeemed by the client that requested it (RFC 7636).
enum CodeVerifier {
    /// 43 to 128 unreserved characters (section 4.1).
    static func isWellFormed(_ verifier: String) -> Bool {
        (43...128).contains(verifier.utf8.count) && verifier.utf8.allSatisfy(PercentEncoding.isUnreserved)
    }

    /// Whether `challenge` is the S256 hash of `verifier` (section 4.6).
    static func matches(_ verifier: String, challenge: String) -> Bool {
        ConstantTime.areEqual(Array(self.challenge(of: verifier).utf8), Array(challenge.utf8))
    }

    /// S256 (section 4.2).
    static func challenge(of verifier: String) -> String { Base64URL.encode(SHA256.digest(Array(verifier.utf8))) }
}
