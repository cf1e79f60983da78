public import Verification

/// The keys of the stand-in. RSA keys take a while to make: tests that start many stand-ins share one set.
public struct ProviderKeys: Sendable {
    let apple: SigningKey
    let google: SigningKey
    /// Signs forged tokens.
    let stranger: SigningKey
    /// The gateway's key for client secrets, whose public half Apple knows.
    let appleClient: SigningKey

    /// Makes new keys.
    public static func generate() throws(SigningError) -> ProviderKeys {
        ProviderKeys(
            apple: try SigningKey.generate(.rsa(bits: 2048)),
            google: try SigningKey.generate(.rsa(bits: 2048)),
            stranger: try SigningKey.generate(.rsa(bits: 2048)),
            appleClient: try SigningKey.generate(.p256)
        )
    }
}
