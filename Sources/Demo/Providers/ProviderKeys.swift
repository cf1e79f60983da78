public import Verification

/// What the stand-in signs with. RSA keys take a while to make: who starts many stand-ins gives all of them the same.
public struct ProviderKeys: Sendable {
    let apple: SigningKey
    let google: SigningKey
    /// Signs what is forged.
    let stranger: SigningKey
    /// The gateway's for its client secrets, whose public half Apple knows.
    let appleClient: SigningKey

    /// New ones.
    public static func generate() throws(SigningError) -> ProviderKeys {
        ProviderKeys(
            apple: try SigningKey.generate(.rsa(bits: 2048)),
            google: try SigningKey.generate(.rsa(bits: 2048)),
            stranger: try SigningKey.generate(.rsa(bits: 2048)),
            appleClient: try SigningKey.generate(.p256)
        )
    }
}
