/// The numbers that make a public key, big-endian. RSA numbers have no leading zero; coordinates have their
/// curve's size.
enum PublicKey: Sendable, Equatable {
    case rsa(modulus: [UInt8], exponent: [UInt8])
    case ellipticCurve(EllipticCurve, x: [UInt8], y: [UInt8])
    case ed25519([UInt8])

    static let ed25519Curve = "Ed25519"
    static let ed25519Size = 32

    /// The curve of an EC key.
    var ellipticCurve: EllipticCurve? {
        if case .ellipticCurve(let curve, x: _, y: _) = self { curve } else { nil }
    }

    /// The key as a DER SubjectPublicKeyInfo (RFC 5280 section 4.1), which is how it is handed to OpenSSL.
    var subjectPublicKeyInfo: [UInt8] {
        switch self {
        case .rsa(let modulus, let exponent):
            let rsaEncryption: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]
            let numbers = DER.unsignedInteger(modulus) + DER.unsignedInteger(exponent)
            return DER.publicKeyInfo(algorithm: rsaEncryption, key: DER.sequence(numbers))
        case .ellipticCurve(let curve, let x, let y):
            let ecPublicKey: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
            return DER.publicKeyInfo(algorithm: ecPublicKey + curve.objectIdentifier, key: [0x04] + x + y)
        case .ed25519(let bytes):
            return DER.publicKeyInfo(algorithm: [0x06, 0x03, 0x2B, 0x65, 0x70], key: bytes)
        }
    }

    /// The members that a JWK must have for this kind of key (RFC 7518 section 6, RFC 8037 section 2).
    var jsonWebKeyMembers: JSONObject {
        switch self {
        case .rsa(let modulus, let exponent):
            [
                "kty": "RSA",
                "n": .string(Base64URL.encode(modulus)),
                "e": .string(Base64URL.encode(exponent)),
            ]
        case .ellipticCurve(let curve, let x, let y):
            [
                "kty": "EC",
                "crv": .string(curve.rawValue),
                "x": .string(Base64URL.encode(x)),
                "y": .string(Base64URL.encode(y)),
            ]
        case .ed25519(let bytes):
            ["kty": "OKP", "crv": .string(Self.ed25519Curve), "x": .string(Base64URL.encode(bytes))]
        }
    }

    /// The JWK thumbprint (RFC 7638 section 3) with SHA-256.
    var thumbprintDigest: [UInt8] { SHA256.digest(JSONWriter.bytes(of: jsonWebKeyMembers, order: .sorted)) }

    /// The JWK thumbprint in base64url.
    var thumbprint: String { Base64URL.encode(thumbprintDigest) }
}
