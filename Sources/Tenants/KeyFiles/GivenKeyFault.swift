import Verification

/// Why private keys that an issuer is given cannot be used.
enum GivenKeyFault: Error, Sendable, Equatable {
    case signing(SigningError)
    /// A key of another kind than the issuer's algorithm needs, or whose `alg` is another.
    case otherAlgorithm(SignatureAlgorithm)
    /// `use` or `key_ops` do not allow to sign.
    case notForSigning
    /// A `kid` that is no text, empty or too long.
    case unusableKeyID
    /// The same key twice, or two keys with one `kid`.
    case sameKeyID
    case tooMany

    /// What is wrong, after the name of the key or of the file, and the remedy. Shows nothing of the keys.
    ///
    /// - Parameter algorithm: The issuer's.
    func message(_ subject: String, _ algorithm: SignatureAlgorithm) -> String {
        let generate = "gatehouse keys generate --algorithm \(algorithm.rawValue) --out DIR"
        switch self {
        case .signing(.publicKey):
            return "\(subject) holds a public key, which signs nothing: give the private one"
        case .signing(.encrypted):
            return "\(subject) holds a private key that is encrypted: decrypt it first (openssl pkcs8 -in FILE)"
        case .signing(.weakKey):
            return "\(subject) holds an RSA key that is too short or known to be weak: make one of 2048 bits or more "
                + "(\(generate))"
        case .signing(.unsupportedKey):
            return "\(subject) holds a key of a kind that no algorithm here uses: give one for \(algorithm.rawValue) "
                + "(\(generate))"
        case .signing:
            return "\(subject) holds no private key: give one for \(algorithm.rawValue), as PEM or JWK (\(generate))"
        case .otherAlgorithm(let needed):
            return
                "\(subject) holds a key that is not for \(needed.rawValue): give one that is, or change \"algorithm\""
        case .notForSigning:
            return "\(subject) holds a JWK whose \"use\" or \"key_ops\" do not allow to sign: give a key for signing"
        case .unusableKeyID:
            return "\(subject) holds a JWK whose \"kid\" is no text of 1 to 256 bytes: change it, or leave it out"
        case .sameKeyID:
            return "\(subject) holds a key twice, or two keys with one \"kid\": leave one out, or change its \"kid\""
        case .tooMany:
            return "\(subject) holds more than \(GivenSigningKey.maximumCount) keys: leave the oldest out"
        }
    }
}
