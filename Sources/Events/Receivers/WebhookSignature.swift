import Tenants
import Verification

/// Signs webhooks (Standard Webhooks 1.0.0, "Signature scheme"): HMAC-SHA256 of `id.timestamp.body`, with each secret.
struct WebhookSignature: Sendable {
    private let keys: [Secret]

    init(_ secrets: [Secret]) {
        keys = secrets.compactMap { $0.webhookKey.map(Secret.init) }
    }

    /// The value of `webhook-signature`.
    ///
    /// - Parameter timestamp: Seconds since 1970.
    func text(id: String, timestamp: Int, body: [UInt8]) -> String {
        let message = Array("\(id).\(timestamp).".utf8) + body
        return keys.map { "v1," + Self.base64(HMACSHA256.code(of: message, key: $0.bytes)) }.joined(separator: " ")
    }

    /// RFC 4648 section 4, with padding.
    private static func base64(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes).map { character -> Character in
            switch character {
            case "-": "+"
            case "_": "/"
            default: character
            }
        }
        return String(text) + String(repeating: "=", count: (3 - bytes.count % 3) % 3)
    }
}
