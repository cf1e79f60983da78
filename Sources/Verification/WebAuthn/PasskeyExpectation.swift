/// What a ceremony must have been made for.
public struct PasskeyExpectation: Sendable {
    /// At least 16 random bytes (WebAuthn Level 2 section 13.4.3), used once.
    public var challenge: [UInt8]
    /// The site's origins, as browsers write them: `https://shop.example.com`, with a port unless it is the default.
    public var origins: [String]
    /// The domain that the credential is for (RP ID).
    public var relyingParty: String
    /// Whether the authenticator must have checked who uses it, by PIN, finger or face.
    public var requiresUserVerification: Bool

    public init(challenge: [UInt8], origins: [String], relyingParty: String, requiresUserVerification: Bool) {
        self.challenge = challenge
        self.origins = origins
        self.relyingParty = relyingParty
        self.requiresUserVerification = requiresUserVerification
    }

    /// Checks what both ceremonies have in common (sections 7.1 and 7.2).
    func check(_ data: AuthenticatorData) throws(PasskeyFailure) {
        guard ConstantTime.areEqual(data.relyingPartyHash, SHA256.digest(Array(relyingParty.utf8))) else {
            throw .wrongRelyingParty
        }
        guard data.flags.contains(.userPresent) else { throw .userNotPresent }
        guard !requiresUserVerification || data.flags.contains(.userVerified) else { throw .userNotVerified }
    }
}
