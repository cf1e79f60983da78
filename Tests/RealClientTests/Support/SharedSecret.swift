import Foundation
import Verification

/// The secret of `https://secret.test`, which signs the tokens of these tests.
enum SharedSecret {
    static let value = "a-secret-of-the-real-clients-and-of-nobody-else-0123456789"

    /// A token of `alice`.
    ///
    /// - Parameters:
    ///   - claims: Further claims.
    ///   - seconds: How long it is valid.
    static func token(_ claims: JSONObject = [:], seconds: Int = 3600) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        var all: JSONObject = [
            "iss": "https://secret.test", "sub": "alice", "iat": .number(JSONNumber(now)),
            "exp": .number(JSONNumber(now + seconds)),
        ]
        for claim in claims.members { all[claim.name] = claim.value }
        return try TokenSigner(SigningKey(secret: Array(value.utf8)), algorithm: .hs256).sign(all)
    }
}
