/// The public key of a credential, as COSE writes it (RFC 9052 section 7, RFC 9053 section 7, RFC 8230 section 4).
struct COSEKey: Equatable {
    /// What a relying party must offer (WebAuthn Level 2 section 5.8.5), the preferred one first.
    static let algorithms: [(identifier: Int, algorithm: SignatureAlgorithm)] = [
        (-7, .es256), (-8, .edDSA), (-257, .rs256),
    ]

    private static let (keyType, algorithmLabel, curve, x, y) = (1, 3, -1, -2, -3)
    private static let (modulus, exponent) = (-1, -2)

    let algorithm: SignatureAlgorithm
    let key: PublicKey

    /// The longest modulus of an RSA key: longer ones only cost whoever verifies.
    private static let longestModulus = 512

    /// - Returns: nil for another algorithm, a key that is none, one that is too weak, and one with further members, which
    ///   would be kept with it (WebAuthn Level 2 section 6.5.1).
    init?(_ value: CBORValue) {
        guard let identifier = value[Self.algorithmLabel]?.integer,
            let algorithm = Self.algorithms.first(where: { $0.identifier == identifier })?.algorithm,
            let key = Self.key(value, algorithm)
        else { return nil }
        self.algorithm = algorithm
        self.key = key
    }

    private static func key(_ value: CBORValue, _ algorithm: SignatureAlgorithm) -> PublicKey? {
        switch (algorithm, value[keyType]?.integer) {
        case (.es256, 2):
            guard value.memberCount == 5, value[curve]?.integer == 1, let x = value[x]?.bytes, let y = value[y]?.bytes,
                x.count == EllipticCurve.p256.coordinateSize, y.count == EllipticCurve.p256.coordinateSize
            else { return nil }
            let key = PublicKey.ellipticCurve(.p256, x: x, y: y)
            // A point off the curve would let an attacker choose the group that signatures are checked in.
            return OpenSSLKey(key)?.isOnCurve == true ? key : nil
        case (.edDSA, 1):
            guard value.memberCount == 4, value[curve]?.integer == 6, let x = value[x]?.bytes,
                x.count == PublicKey.ed25519Size
            else {
                return nil
            }
            return .ed25519(x)
        case (.rs256, 3):
            guard value.memberCount == 4, let n = value[modulus]?.bytes, let e = value[exponent]?.bytes,
                n.count <= longestModulus, n.first != 0, e.first != 0,
                RSAModulus.problem(modulus: n, exponent: e) == nil
            else { return nil }
            return .rsa(modulus: n, exponent: e)
        default: return nil
        }
    }
}
