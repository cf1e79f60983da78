/// A passkey as it is kept: nothing of it is secret.
public struct PasskeyCredential: Sendable, Equatable {
    /// Unique among all passkeys, at most 1023 bytes.
    public let id: [UInt8]
    /// The public key in COSE.
    public let publicKey: [UInt8]
    /// How often the authenticator had signed; 0 from one that does not count.
    public var signatureCount: UInt32
    /// Whether it may be on several devices of its owner.
    public let isBackupEligible: Bool
    /// Whether it is.
    public var isBackedUp: Bool
    /// The model of the authenticator (AAGUID, 16 bytes), for its name; all zeros where it is not told. Nobody vouches
    /// for it.
    public let model: [UInt8]

    public init(
        id: [UInt8],
        publicKey: [UInt8],
        signatureCount: UInt32,
        isBackupEligible: Bool,
        isBackedUp: Bool,
        model: [UInt8]
    ) {
        self.id = id
        self.publicKey = publicKey
        self.signatureCount = signatureCount
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.model = model
    }

    /// The identifiers of the algorithms to offer, the preferred one first (COSE, RFC 9053).
    public static var offeredAlgorithms: [Int] { COSEKey.algorithms.map(\.identifier) }
}
