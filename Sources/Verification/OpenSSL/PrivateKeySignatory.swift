import COpenSSL

/// Signs with an RSA, EC or Ed25519 private key.
final class PrivateKeySignatory: Signatory {
    private let key: OpenSSLKey
    private let algorithm: SignatureAlgorithm
    private let curve: EllipticCurve?

    /// - Parameter curve: That of an EC key.
    init?(_ pkcs8: [UInt8], curve: EllipticCurve?, _ algorithm: SignatureAlgorithm) {
        guard let key = OpenSSLKey(privateKey: pkcs8) else { return nil }
        self.key = key
        self.algorithm = algorithm
        self.curve = curve
    }

    func signature(over input: [UInt8]) -> [UInt8]? {
        guard let made = openSSLSignature(over: input) else {
            ERR_clear_error()
            return nil
        }
        guard let curve else { return made }
        return ECDSASignature.raw(fromDER: made, coordinateSize: curve.coordinateSize)
    }

    private func openSSLSignature(over input: [UInt8]) -> [UInt8]? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?
        // Ed25519 hashes inside the scheme and must be given no digest.
        let digest = algorithm == .edDSA ? nil : algorithm.hash.rawValue
        guard EVP_DigestSignInit_ex(context, &keyContext, digest, nil, nil, key.pointer, nil) == 1,
            RSAPadding.set(keyContext, algorithm.family)
        else { return nil }
        var length = 0
        guard EVP_DigestSign(context, nil, &length, input, input.count) == 1 else { return nil }
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(context, &signature, &length, input, input.count) == 1 else { return nil }
        return Array(signature.prefix(length))
    }
}
