extension SigningKey.Kind {
    /// The kind of key that `algorithm` takes; nil for those that take a secret. RSA keys have 2048 bits.
    public init?(for algorithm: SignatureAlgorithm) {
        switch algorithm {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: self = .rsa(bits: 2048)
        case .es256: self = .p256
        case .es384: self = .p384
        case .es512: self = .p521
        case .edDSA: self = .ed25519
        case .hs256, .hs384, .hs512: return nil
        }
    }
}
