package import Tenants
package import Time
package import Verification

/// The client secret for Apple: a token that the gateway signs itself, a new one for each exchange.
package struct AppleClientSecret: Sendable {
    /// Seconds. Apple allows months; a short lifetime limits the damage of a leak.
    private static let lifetime = 300.0

    private let teamID: String
    private let keyID: String
    private let key: SigningKey

    /// - Returns: Nil if there is no key, or it is not a P-256 key in PEM.
    package init?(_ web: AppleSignIn.Web) {
        guard let key = web.privateKey else { return nil }
        self.init(teamID: web.teamID, keyID: web.keyID, key: key)
    }

    /// - Parameter key: In PEM.
    init?(teamID: String, keyID: String, key: Secret) {
        guard let key = try? SigningKey(pem: key.bytes), key.algorithms.contains(.es256) else { return nil }
        self.teamID = teamID
        self.keyID = keyID
        self.key = key
    }

    /// - Parameters:
    ///   - clientID: The gateway's client ID at Apple: the secret's `sub`.
    ///   - audience: Apple.
    package func make(for clientID: String, audience: String, at now: UnixTime) throws(SigningError) -> String {
        let issuedAt = UnixTime(now.seconds.rounded(.down))
        return try TokenSigner(key, algorithm: .es256, keyID: keyID).sign([
            "iss": .string(teamID),
            "iat": .time(issuedAt),
            "exp": .time(issuedAt + Self.lifetime),
            "aud": .string(audience),
            "sub": .string(clientID),
        ])
    }
}
