/// The response to a request for a new passkey (WebAuthn Level 2 section 7.1).
public struct PasskeyRegistration: Sendable {
    private static let longest = 64 << 10

    private let clientData: [UInt8]
    private let attestation: [UInt8]

    /// - Parameters:
    ///   - clientData: `clientDataJSON`, decoded.
    ///   - attestation: `attestationObject`, decoded.
    public init(clientData: [UInt8], attestation: [UInt8]) {
        self.clientData = clientData
        self.attestation = attestation
    }

    /// The passkey, if everything about it is as expected. Its identifier must still be looked for among those that are
    /// there.
    public func credential(_ expectation: PasskeyExpectation) throws(PasskeyFailure) -> PasskeyCredential {
        let client = try PasskeyClientData(clientData, of: .create, expectation)
        guard attestation.count <= Self.longest, let object = try? CBORReader.read(attestation),
            let bytes = object["authData"]?.bytes, let format = object["fmt"]?.text, let statement = object["attStmt"]
        else { throw .malformed("attestationObject") }
        let data = try AuthenticatorData(bytes)
        try expectation.check(data)
        guard let credential = data.credential else { throw .malformed("credential") }
        switch format {
        case "none": guard statement == .map([]) else { throw .badAttestation }
        case "packed":
            let packed = PackedAttestation(statement, over: bytes + client.hash)
            guard packed?.isValid(for: credential) == true else { throw .badAttestation }
        default: throw .unsupportedAttestation(format)
        }
        return PasskeyCredential(
            id: credential.id,
            publicKey: credential.keyBytes,
            signatureCount: data.signatureCount,
            isBackupEligible: data.flags.contains(.backupEligible),
            isBackedUp: data.flags.contains(.backedUp),
            model: credential.model
        )
    }
}
