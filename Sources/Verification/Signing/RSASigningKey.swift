/// An RSA private key that is loaded once and signs on any thread. Its description shows nothing.
///
/// `@unchecked Sendable`: OpenSSL allows an `EVP_PKEY` that nobody changes to be used by several threads at once, each
/// with a context of its own. What signing changes within, the numbers that blind the exponentiation, OpenSSL guards
/// itself.
package final class RSASigningKey: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
    private let key: OpenSSLKey

    /// - Parameter der: PKCS#8, or the older RSAPrivateKey (RFC 8017 appendix A.1.2).
    /// - Returns: Nil if it is malformed, or a key of another kind.
    package init?(der: [UInt8]) {
        guard let key = OpenSSLKey(privateKey: der), key.isRSA else { return nil }
        self.key = key
    }

    /// - Returns: RSA-PSS with a salt as long as the hash; nil if the algorithm is not RSA's, or OpenSSL made none.
    package func signature(over input: [UInt8], _ algorithm: SignatureAlgorithm) -> [UInt8]? {
        guard [.rsaPKCS1, .rsaPSS].contains(algorithm.family) else { return nil }
        return key.signature(over: input, algorithm)
    }

    package var description: String { "RSA signing key" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
