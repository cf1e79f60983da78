/// The attestation statement `packed` (WebAuthn Level 2 section 8.2). Whose root signed its certificate is not asked:
/// no model of authenticator is required, but what is attested must be true.
struct PackedAttestation {
    private let algorithm: SignatureAlgorithm
    private let signature: [UInt8]
    /// The authenticator's certificate; nil: it signs with the credential's own key.
    private let certificate: [UInt8]?
    private let signed: [UInt8]

    /// - Parameter signed: The authenticator data and the hash of the client data.
    init?(_ statement: CBORValue, over signed: [UInt8]) {
        guard let identifier = statement["alg"]?.integer,
            let algorithm = COSEKey.algorithms.first(where: { $0.identifier == identifier })?.algorithm,
            let signature = statement["sig"]?.bytes
        else { return nil }
        self.algorithm = algorithm
        self.signature = signature
        self.signed = signed
        guard let chain = statement["x5c"] else {
            certificate = nil
            return
        }
        guard let first = chain.array?.first?.bytes else { return nil }
        certificate = first
    }

    func isValid(for credential: AuthenticatorData.Credential) -> Bool {
        guard let certificate else {
            return algorithm == credential.key.algorithm
                && OpenSSLKey(credential.key.key)?.hasSigned(signed, signature, algorithm) == true
        }
        guard let read = OpenSSLCertificate(certificate), read.isAuthenticators, read.isFor(model: credential.model)
        else {
            return false
        }
        return read.key?.hasSigned(signed, signature, algorithm) == true
    }
}
