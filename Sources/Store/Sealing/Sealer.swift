import Verification

/// Encrypts and authenticates values in the store: AES-256-GCM (NIST SP 800-38D), bound to the key that a value is
/// stored under, so that it cannot replace another.
///
///     version (1 byte) · key id (4) · nonce (12) · ciphertext · tag (16)
public struct Sealer: Sendable {
    private static let version: UInt8 = 1
    private static let headerLength = 1 + SealingKeys.KeyID.length

    private let keys: SealingKeys

    public init(_ keys: SealingKeys) {
        self.keys = keys
    }

    /// Seals with the first key.
    public func seal(_ value: [UInt8], for key: StoreKey) throws(StoreError) -> [UInt8] {
        let header = [Self.version] + keys.first.id.bytes
        let context = Self.context(key, header)
        guard let sealed = AESGCM.seal(value, key: keys.first.bytes, authenticating: context) else {
            throw .sealBroken("\(key) cannot be sealed")
        }
        return header + sealed
    }

    /// - Returns: The value, and whether another key than the first opened it.
    /// - Throws: ``StoreError/sealBroken(_:)`` if none of the keys opens it.
    public func open(_ sealed: [UInt8], for key: StoreKey) throws(StoreError) -> (value: [UInt8], isOutdated: Bool) {
        guard sealed.count >= Self.headerLength + AESGCM.overhead, sealed[0] == Self.version else {
            throw .sealBroken("\(key) is not a sealed value of this version")
        }
        let id = SealingKeys.KeyID(bytes: Array(sealed[1..<Self.headerLength]))
        if keys.first.id == id, let value = Self.open(sealed, with: keys.first, for: key) { return (value, false) }
        for other in keys.others where other.id == id {
            if let value = Self.open(sealed, with: other, for: key) { return (value, true) }
        }
        let isKnown = keys.first.id == id || keys.others.contains { $0.id == id }
        throw .sealBroken(
            isKnown ? "\(key) was changed, or belongs under another key" : "\(key) was sealed with a key not given here"
        )
    }

    private static func open(_ sealed: [UInt8], with key: SealingKeys.Key, for storeKey: StoreKey) -> [UInt8]? {
        let header = Array(sealed[..<headerLength])
        let context = context(storeKey, header)
        return AESGCM.open(Array(sealed[headerLength...]), key: key.bytes, authenticating: context)
    }

    /// Authenticated in addition to the value. The header's length is fixed, so the two parts are unambiguous.
    private static func context(_ key: StoreKey, _ header: [UInt8]) -> [UInt8] { header + Array(key.text.utf8) }
}
