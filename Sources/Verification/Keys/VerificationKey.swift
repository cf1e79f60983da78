/// One verification key, and what it may be used for. Its description shows no secret.
public struct VerificationKey: Sendable, Equatable {
    /// The kinds of key (RFC 7518 section 6.1, RFC 8037 section 2), by their `kty`.
    public enum KeyType: String, Sendable {
        case rsa = "RSA"
        case ellipticCurve = "EC"
        case octetKeyPair = "OKP"
        case symmetric = "oct"
    }

    /// `kid`.
    public let keyID: String?
    /// `alg`, if the key names one.
    public let declaredAlgorithm: SignatureAlgorithm?
    /// `use`; `sig` or nil, as other keys are not kept.
    public let use: String?
    /// The algorithms that it may verify, by its kind, size, `alg`, `use` and `key_ops`. Never empty.
    public let algorithms: [SignatureAlgorithm]
    let material: KeyMaterial

    /// `kty`.
    public var keyType: KeyType { material.keyType }
    /// `crv` of an EC or OKP key.
    public var curve: String? { material.curve }
    /// Whether it is a secret.
    public var isSymmetric: Bool { keyType == .symmetric }
}

extension VerificationKey: CustomStringConvertible, CustomReflectable {
    public var description: String {
        let name = keyID.map { " \($0)" } ?? ""
        return "\(keyType.rawValue)\(name) (\(algorithms.map(\.rawValue).joined(separator: ", ")))"
    }

    /// For `dump` and interpolation of containers, which would otherwise print the secret.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description])
    }
}
