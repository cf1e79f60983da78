extension JSONWebKey {
    /// An RSA public key (RFC 7518 section 6.3.1).
    static func rsaKey(_ jwk: JSONObject) throws(KeyProblem) -> PublicKey {
        // Some issuers prepend a zero byte (the sign byte of a Java BigInteger), which does not change the number.
        let modulus = Array(try bytes("n", jwk).drop { $0 == 0 })
        let exponent = Array(try bytes("e", jwk).drop { $0 == 0 })
        if let problem = RSAModulus.problem(modulus: modulus, exponent: exponent) { throw problem }
        return .rsa(modulus: modulus, exponent: exponent)
    }
}
