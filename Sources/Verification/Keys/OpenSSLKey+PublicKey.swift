extension OpenSSLKey {
    convenience init?(_ key: PublicKey) {
        self.init(subjectPublicKeyInfo: key.subjectPublicKeyInfo)
    }

    /// The public half, or nil for a kind of key that no JWS algorithm uses.
    var publicKey: PublicKey? {
        if let key = rsaNumbers { return .rsa(modulus: key.modulus, exponent: key.exponent) }
        if let point = ellipticCurvePoint { return .ellipticCurve(point.curve, x: point.x, y: point.y) }
        return ed25519PublicKey(size: PublicKey.ed25519Size).map(PublicKey.ed25519)
    }
}
