public import Time
public import Verification

/// A local stand-in for a provider that reports stolen accounts: a transmitter of security events (RFC 8417), whose key
/// is made for one run.
public struct SignalStandIn: Sendable {
    public static let issuer = "https://signals.example"
    /// What it knows every app by.
    public static let audience = "https://apps.example"
    /// CAEP 1.0 section 3.1.
    private static let sessionRevoked = "https://schemas.openid.net/secevent/caep/event-type/session-revoked"

    private let key: SigningKey
    private let now: @Sendable () -> UnixTime

    /// - Parameter key: For ES256.
    public init(key: SigningKey, now: @escaping @Sendable () -> UnixTime) {
        self.key = key
        self.now = now
    }

    /// A signed event which says that the session of an app's access token is over; or that the token is, where it names
    /// no session.
    public func sessionRevoked(_ accessToken: String) throws -> String {
        let claims = try UnverifiedToken(Array(accessToken.utf8)).claims()
        let time = JSONValue.number(JSONNumber(Int(now().seconds)))
        var event = JSONObject()
        event[Self.sessionRevoked] = ["event_timestamp": time]
        let token: JSONObject = [
            "iss": .string(Self.issuer), "aud": .string(Self.audience), "iat": time,
            "jti": .string(RandomText.make(bytes: 16)), "sub_id": .object(Self.subject(of: claims)),
            "events": .object(event),
        ]
        return try TokenSigner(key, algorithm: .es256, keyID: key.thumbprint)
            .sign(token, header: ["typ": "secevent+jwt"])
    }

    /// RFC 9493 section 3, and Shared Signals Framework 1.0 section 3 for sessions.
    private static func subject(of claims: JSONObject) -> JSONObject {
        if let session = claims["sid"] {
            return ["format": "complex", "session": ["format": "opaque", "id": session]]
        }
        return ["format": "jwt_id", "iss": claims["iss"] ?? "", "jti": claims["jti"] ?? ""]
    }
}
