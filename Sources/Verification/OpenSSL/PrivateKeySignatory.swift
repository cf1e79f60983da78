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
        guard let made = key.signature(over: input, algorithm) else { return nil }
        guard let curve else { return made }
        return ECDSASignature.raw(fromDER: made, coordinateSize: curve.coordinateSize)
    }
}
