import Tenants
import Verification

/// The nonce of an app's sign-in: the app makes a raw nonce, gives Apple its hash to sign, and sends the raw one with
/// the token. A stolen token comes without it.
enum AppleNonce {
    /// - Parameters:
    ///   - claim: `nonce` in the token: the lower-case hexadecimal SHA-256 of the raw nonce.
    ///   - raw: As sent by the app.
    /// - Returns: What is wrong, for the app's developer; nil if it is valid.
    static func problem(claim: JSONValue?, raw: String?, rule: AppleSignIn.Nonce) -> String? {
        switch (claim, raw) {
        case (nil, nil): return rule == .optional ? nil : "there is no nonce, neither in the token nor in the request"
        case (nil, _?): return "the request has a nonce, and the token has none"
        case (_?, nil): return "the token has a nonce, and the request has none"
        case (let claim?, let raw?):
            let expected = Hexadecimal.text(SHA256.digest(Array(raw.utf8)))
            guard let hash = claim.string, !raw.isEmpty, PlainText.areEqual(hash, expected) else {
                return "the token's nonce is not the lower-case hexadecimal SHA-256 of the request's"
            }
            return nil
        }
    }
}
