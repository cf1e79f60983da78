/// What an authenticator says, over which it signs (WebAuthn Level 2 section 6.1).
struct AuthenticatorData: Equatable {
    struct Flags: OptionSet {
        let rawValue: UInt8

        static let userPresent = Flags(rawValue: 1 << 0)
        static let userVerified = Flags(rawValue: 1 << 2)
        /// Whether the credential may be on several devices (Level 3).
        static let backupEligible = Flags(rawValue: 1 << 3)
        static let backedUp = Flags(rawValue: 1 << 4)
        static let hasCredential = Flags(rawValue: 1 << 6)
        static let hasExtensions = Flags(rawValue: 1 << 7)
    }

    /// A credential that was made (section 6.5.1).
    struct Credential: Equatable {
        /// The model of the authenticator; all zeros where it is not told.
        let model: [UInt8]
        let id: [UInt8]
        let key: COSEKey
        /// `key` as it was written.
        let keyBytes: [UInt8]
    }

    /// Section 4, "Credential ID": at most 1023 bytes.
    static let longestID = 1023
    private static let fixedSize = 37

    let relyingPartyHash: [UInt8]
    let flags: Flags
    let signatureCount: UInt32
    let credential: Credential?

    init(_ bytes: [UInt8]) throws(PasskeyFailure) {
        guard bytes.count >= Self.fixedSize else { throw .malformed("authenticatorData") }
        relyingPartyHash = Array(bytes[..<32])
        flags = Flags(rawValue: bytes[32])
        signatureCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var rest = bytes[Self.fixedSize...]
        credential = flags.contains(.hasCredential) ? try Self.credential(&rest) : nil
        if flags.contains(.hasExtensions) {
            guard let (value, after) = try? CBORReader.readFirst(rest), case .map = value else {
                throw .malformed("extensions")
            }
            rest = after
        }
        guard rest.isEmpty else { throw .malformed("authenticatorData") }
        // What is not eligible cannot have been backed up (Level 3 section 6.1.3).
        if flags.contains(.backedUp), !flags.contains(.backupEligible) { throw .malformed("flags") }
    }

    private static func credential(_ rest: inout ArraySlice<UInt8>) throws(PasskeyFailure) -> Credential {
        guard rest.count >= 18 else { throw .malformed("credential") }
        let model = Array(rest.prefix(16))
        rest = rest.dropFirst(16)
        let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
        rest = rest.dropFirst(2)
        guard (1...longestID).contains(length), rest.count >= length else { throw .malformed("credential") }
        let id = Array(rest.prefix(length))
        rest = rest.dropFirst(length)
        guard let (value, after) = try? CBORReader.readFirst(rest) else { throw .malformed("credentialPublicKey") }
        guard let key = COSEKey(value) else { throw .unsupportedKey }
        let keyBytes = Array(rest[..<after.startIndex])
        rest = after
        return Credential(model: model, id: id, key: key, keyBytes: keyBytes)
    }
}
