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
            guard let hash = claim.string, !raw.isEmpty, PlainText.areEqual(hash, hexadecimalSHA256(raw)) else {
                return "the token's nonce is not the lower-case hexadecimal SHA-256 of the request's"
            }
            return nil
        }
    }

    private static func hexadecimalSHA256(_ text: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let characters = SHA256.digest(Array(text.utf8)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: characters, as: UTF8.self)
    }
}
