/// Why a key could not be made or a token not signed.
public enum SigningError: Error, Sendable, Equatable {
    /// No PEM block of an unencrypted private key.
    case notAPrivateKey
    /// A public key, or a certificate, where a private key is needed.
    case publicKey
    /// A private key that is encrypted with a password.
    case encrypted
    /// A kind of key or a curve that no supported algorithm uses.
    case unsupportedKey
    /// An RSA key that verifiers refuse.
    case weakKey
    /// OpenSSL made no key, for lack of randomness or memory, or because of the size.
    case notGenerated
    /// The algorithm does not fit the key, or the secret is shorter than its hash.
    case algorithmDoesNotFit(SignatureAlgorithm)
    /// OpenSSL made no signature.
    case notSigned
}

extension SigningError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAPrivateKey: "no unencrypted private key in PEM"
        case .publicKey: "a public key, and no private one"
        case .encrypted: "a private key that is encrypted"
        case .unsupportedKey: "a kind of key that no supported algorithm uses"
        case .weakKey: "an RSA key that is too short or known to be weak"
        case .notGenerated: "no key could be made"
        case .algorithmDoesNotFit(let algorithm): "the key cannot sign with \(algorithm.rawValue)"
        case .notSigned: "no signature could be made"
        }
    }
}
