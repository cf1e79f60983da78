import Verification

/// What the gateway reports to a webhook: a closed set, the same in tenants.yaml, in events and in metrics.
public enum EventType: String, Sendable, CaseIterable {
    case signedIn = "signed_in"
    case refreshed
    case signedOut = "signed_out"
    case revoked
    case refused
    case deleted
    case linked
}

/// The settings of `gateway.events`: who is told what happens to people's sessions and accounts.
public struct EventSettings: Sendable, Equatable {
    /// https, or http on loopback.
    public var url: String
    /// Each signs every request: with two the receiver can change from one to the other. Never empty.
    public var secrets: [Secret]
    public var types: [EventType]

    public init(url: String, secrets: [Secret], types: [EventType]) {
        self.url = url
        self.secrets = secrets
        self.types = types
    }
}

extension Secret {
    /// The prefix of a secret in base64 (Standard Webhooks, "Signature scheme").
    private static let webhookPrefix = "whsec_"

    /// The key that a webhook's secret stands for: what follows `whsec_` in base64, or else its own bytes.
    ///
    /// - Returns: Nil if it begins with `whsec_`, and no base64 follows.
    public var webhookKey: [UInt8]? {
        guard bytes.starts(with: Self.webhookPrefix.utf8) else { return bytes }
        // The one alphabet in the other's letters; padding only where it belongs.
        var encoded = bytes.dropFirst(Self.webhookPrefix.utf8.count)
        let isPadded = encoded.count.isMultiple(of: 4)
        for _ in 0..<2 where isPadded && encoded.last == UInt8(ascii: "=") { encoded.removeLast() }
        guard !encoded.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) else { return nil }
        return Base64URL.decode(
            encoded.map { byte in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: byte
                }
            }
        )
    }
}
