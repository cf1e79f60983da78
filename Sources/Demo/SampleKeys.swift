public import Verification

/// The signing keys of the sample apps. The gateway has the same secrets and the public keys to verify with.
public struct SampleKeys: Sendable {
    /// HS256, shared by the customer and the driver app; 32 bytes or more.
    public var umuveSecret: [UInt8]
    /// HS256; 32 bytes or more.
    public var financeSecret: [UInt8]
    /// For ES256.
    public var chatKey: SigningKey
    /// For RS256.
    public var clansKey: SigningKey
    /// For ES256: of the issuer that the clans app had before.
    public var formerKey: SigningKey

    public init(
        umuveSecret: [UInt8],
        financeSecret: [UInt8],
        chatKey: SigningKey,
        clansKey: SigningKey,
        formerKey: SigningKey
    ) {
        self.umuveSecret = umuveSecret
        self.financeSecret = financeSecret
        self.chatKey = chatKey
        self.clansKey = clansKey
        self.formerKey = formerKey
    }

    /// Makes new keys.
    public static func generate() throws(SigningError) -> SampleKeys {
        SampleKeys(
            umuveSecret: Array(RandomText.make(bytes: 32).utf8),
            financeSecret: Array(RandomText.make(bytes: 32).utf8),
            chatKey: try SigningKey.generate(.p256),
            clansKey: try SigningKey.generate(.rsa(bits: 2048)),
            formerKey: try SigningKey.generate(.p256)
        )
    }
}
