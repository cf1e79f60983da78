extension JSONWebKey {
    /// A public key on P-256, P-384 or P-521 (RFC 7518 section 6.2.1), its point on the curve.
    static func ellipticCurveKey(_ jwk: JSONObject) throws(KeyProblem) -> PublicKey {
        guard let curve = EllipticCurve(rawValue: try text("crv", jwk)) else { throw .unknownCurve }
        let x = try bytes("x", jwk)
        let y = try bytes("y", jwk)
        guard x.count == curve.coordinateSize, y.count == curve.coordinateSize else { throw .badPoint }
        let key = PublicKey.ellipticCurve(curve, x: x, y: y)
        // A point off the curve would let an attacker choose the group that signatures are checked in.
        guard let loaded = OpenSSLKey(key), loaded.isOnCurve else { throw .badPoint }
        return key
    }
}
