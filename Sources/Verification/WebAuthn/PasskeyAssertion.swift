/// The response to a request to sign in with a passkey (WebAuthn Level 2 section 7.2).
public struct PasskeyAssertion: Sendable {
    private static let longest = 64 << 10

    private let clientData: [UInt8]
    private let authenticatorData: [UInt8]
    private let signature: [UInt8]

    /// All decoded.
    public init(clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8]) {
        self.clientData = clientData
        self.authenticatorData = authenticatorData
        self.signature = signature
    }

    /// Checks that the owner of a passkey has signed in with it.
    ///
    /// - Parameter credential: The one that the response names; whose it is must be who is to sign in.
    /// - Returns: The passkey as it is to be kept from now on.
    public func verify(
        _ credential: PasskeyCredential,
        _ expectation: PasskeyExpectation
    ) throws(PasskeyFailure) -> PasskeyCredential {
        let client = try PasskeyClientData(clientData, of: .get, expectation)
        guard authenticatorData.count <= Self.longest else { throw .malformed("authenticatorData") }
        let data = try AuthenticatorData(authenticatorData)
        // Only what is made has a credential (section 6.1).
        guard data.credential == nil else { throw .malformed("authenticatorData") }
        try expectation.check(data)
        guard data.flags.contains(.backupEligible) == credential.isBackupEligible else {
            throw .backupEligibilityChanged
        }
        guard let value = try? CBORReader.read(credential.publicKey), let key = COSEKey(value) else {
            throw .unsupportedKey
        }
        let signed = authenticatorData + client.hash
        guard OpenSSLKey(key.key)?.hasSigned(signed, signature, key.algorithm) == true else { throw .badSignature }
        // Zero twice is one that does not count (section 6.1.1).
        if data.signatureCount != 0 || credential.signatureCount != 0 {
            guard data.signatureCount > credential.signatureCount else { throw .counterWentBack }
        }
        var kept = credential
        kept.signatureCount = data.signatureCount
        kept.isBackedUp = data.flags.contains(.backedUp)
        return kept
    }
}
