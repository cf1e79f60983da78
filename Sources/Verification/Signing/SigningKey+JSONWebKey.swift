extension SigningKey {
    /// The private key of a JWK: RSA with two primes (RFC 7518 section 6.3), EC (section 6.2) or Ed25519 (RFC 8037).
    ///
    /// Whether `alg`, `use` and `key_ops` allow what the key is for is left to the caller.
    ///
    /// - Throws: ``SigningError/publicKey`` without a private half, ``SigningError/notAPrivateKey`` also if the halves do
    ///   not belong together.
    public convenience init(jwk: JSONObject) throws(SigningError) {
        guard let keyType = jwk["kty"]?.string.flatMap(VerificationKey.KeyType.init(rawValue:)),
            keyType != .symmetric
        else { throw .unsupportedKey }
        guard jwk["d"] != nil else { throw .publicKey }
        switch keyType {
        case .rsa: try self.init(der: Self.rsaKey(jwk))
        case .ellipticCurve: try self.init(der: Self.ellipticCurveKey(jwk))
        case .octetKeyPair: try self.init(der: Self.octetKeyPair(jwk))
        case .symmetric: throw .unsupportedKey
        }
        guard hasMatchingHalves(jwk) else { throw .notAPrivateKey }
    }

    /// RSAPrivateKey (RFC 8017 appendix A.1.2).
    private static func rsaKey(_ jwk: JSONObject) throws(SigningError) -> [UInt8] {
        // More than two primes (RFC 7518 section 6.3.2.7) are not supported: nobody makes such keys.
        guard jwk["oth"] == nil else { throw .unsupportedKey }
        var content = DER.unsignedInteger([0])
        for name in ["n", "e", "d", "p", "q", "dp", "dq", "qi"] {
            // A longer number is none of a key that verifiers accept.
            let number = try bytes(name, of: jwk)
            guard number.count <= 2048 else { throw .weakKey }
            content += DER.unsignedInteger(number)
        }
        return DER.sequence(content)
    }

    /// ECPrivateKey (RFC 5915 section 3) without the public half, which OpenSSL then computes.
    private static func ellipticCurveKey(_ jwk: JSONObject) throws(SigningError) -> [UInt8] {
        guard let curve = jwk["crv"]?.string.flatMap(EllipticCurve.init(rawValue:)) else { throw .unsupportedKey }
        let scalar = try bytes("d", of: jwk)
        guard scalar.count == curve.coordinateSize else { throw .notAPrivateKey }
        return DER.sequence(
            DER.unsignedInteger([1]) + DER.octetString(scalar) + DER.tagged(0, curve.objectIdentifier)
        )
    }

    /// PKCS#8 (RFC 8410 section 7).
    private static func octetKeyPair(_ jwk: JSONObject) throws(SigningError) -> [UInt8] {
        guard jwk["crv"]?.string == PublicKey.ed25519Curve else { throw .unsupportedKey }
        let seed = try bytes("d", of: jwk)
        guard seed.count == PublicKey.ed25519Size else { throw .notAPrivateKey }
        let algorithm = DER.sequence([0x06, 0x03, 0x2B, 0x65, 0x70])
        return DER.sequence(DER.unsignedInteger([0]) + algorithm + DER.octetString(DER.octetString(seed)))
    }

    private static func bytes(_ name: String, of jwk: JSONObject) throws(SigningError) -> [UInt8] {
        guard let bytes = jwk[name]?.string.flatMap({ Base64URL.decode($0) }), !bytes.isEmpty else {
            throw .notAPrivateKey
        }
        return bytes
    }

    /// Whether the JWK states the public half of its private one. For RSA OpenSSL has taken both as they stand, and only a
    /// signature tells.
    private func hasMatchingHalves(_ jwk: JSONObject) -> Bool {
        guard case .privateKey(let pkcs8, let publicKey) = material else { return false }
        if case .rsa = publicKey {
            let input: [UInt8] = Array("gatehouse".utf8)
            guard let signature = PrivateKeySignatory(pkcs8, curve: nil, .rs256)?.signature(over: input),
                let context = KeyMaterial.publicKey(publicKey).context(for: .rs256)
            else { return false }
            return context.isValid(signature, over: input.span)
        }
        let own = publicKey.jsonWebKeyMembers
        return ["x", "y"].allSatisfy { name in
            own[name]?.string.map { Array($0.utf8) } == jwk[name]?.string.map { Array($0.utf8) }
        }
    }
}
