/// Signs tokens with one key. Not `Sendable`: it keeps the loaded key and its contexts; make one where it is used.
public final class TokenSigner {
    private let signatory: any Signatory
    private let algorithm: SignatureAlgorithm
    private let keyID: String?

    /// - Parameters:
    ///   - key: The key to sign with.
    ///   - algorithm: One that the key can sign with.
    ///   - keyID: The `kid` of the headers; nil for none.
    public init(_ key: SigningKey, algorithm: SignatureAlgorithm, keyID: String? = nil) throws(SigningError) {
        guard key.algorithms.contains(algorithm) else { throw .algorithmDoesNotFit(algorithm) }
        let signatory: (any Signatory)? =
            switch key.material {
            case .secret(let bytes): HMACContext(secret: bytes, hash: algorithm.hash)
            case .privateKey(let pkcs8, let publicKey):
                PrivateKeySignatory(pkcs8, curve: publicKey.ellipticCurve, algorithm)
            }
        guard let signatory else { throw .notSigned }
        self.signatory = signatory
        self.algorithm = algorithm
        self.keyID = keyID
    }

    /// A compact JWS over a claims set.
    ///
    /// - Parameter header: Members besides `alg` and `kid`, which are the signer's; `typ` is `JWT` unless given here.
    public func sign(_ claims: JSONObject, header: JSONObject = JSONObject()) throws(SigningError) -> String {
        try sign(payload: JSONWriter.bytes(of: claims), header: header)
    }

    /// A compact JWS over any bytes.
    public func sign(payload: [UInt8], header extra: JSONObject = JSONObject()) throws(SigningError) -> String {
        var header: JSONObject = ["alg": .string(algorithm.rawValue), "typ": "JWT"]
        for member in extra.members where !member.name.hasSameBytes(as: "alg") { header[member.name] = member.value }
        if let keyID { header["kid"] = .string(keyID) }
        let signingInput = Base64URL.encode(JSONWriter.bytes(of: header)) + "." + Base64URL.encode(payload)
        guard let signature = signatory.signature(over: Array(signingInput.utf8)) else { throw .notSigned }
        return signingInput + "." + Base64URL.encode(signature)
    }
}
