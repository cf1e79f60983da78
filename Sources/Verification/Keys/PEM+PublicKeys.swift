extension PEM {
    /// The public keys of a text. A private key in it is an error, as it must be a mistake.
    static func publicKeys(_ text: [UInt8]) throws(KeySetError) -> [PublicKey] {
        guard let blocks = blocks(text) else { throw .notPEM }
        var keys: [PublicKey] = []
        for block in blocks {
            if block.label.hasSuffix("PRIVATE KEY") { throw .privateKey }
            let loaded: OpenSSLKey?
            switch block.label {
            case "PUBLIC KEY": loaded = OpenSSLKey(subjectPublicKeyInfo: block.content)
            case "RSA PUBLIC KEY": loaded = OpenSSLKey(rsaPublicKey: block.content)
            default: continue
            }
            guard let loaded else { throw .notPEM }
            guard let key = loaded.publicKey else { throw .noUsableKey(.unknownKeyType) }
            if case .rsa(let modulus, let exponent) = key,
                let problem = RSAModulus.problem(modulus: modulus, exponent: exponent)
            {
                throw .noUsableKey(problem)
            }
            if case .ellipticCurve = key, !loaded.isOnCurve { throw .noUsableKey(.badPoint) }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw .notPEM }
        return keys
    }
}
