import Store
import Time
import Verification

/// Encrypts refresh results in the store.
///
/// With `GATEHOUSE_KEY` they are sealed with that. Without it the key is derived from the credential that the client
/// presented, so that only its holders can open the result, whose tokens are worth no more than that.
///
///     version (1 byte) · way of sealing (1) · kind (1) · Unix milliseconds (8) · digest (32) · ciphertext
///
/// The digest is not encrypted, so that a request that cannot open the record can tell whether it is for its token: it
/// is the new access token's, or without one that of the presented credential.
struct RefreshSeal: Sendable {
    enum Opened: Equatable {
        case record(RefreshRecord)
        /// It is sealed with another key.
        case closed(Label)
        /// It has an unknown format.
        case garbled
    }

    /// The part that is not encrypted.
    struct Label: Equatable {
        var isRenewed: Bool
        var madeAt: UnixTime
        var digest: [UInt8]
    }

    private static let version: UInt8 = 1
    private static let digestLength = 32
    private static let labelLength = 3 + 8 + digestLength

    let sealer: Sealer?

    /// - Parameter secret: What the client presented.
    func seal(_ record: RefreshRecord, for key: StoreKey, secret: [UInt8]) throws(StoreError) -> [UInt8] {
        let label = Self.label(record, way: sealer == nil ? 1 : 0)
        if let sealer { return label + (try sealer.seal(label + record.json, for: key)) }
        let context = label + Array(key.text.utf8)
        guard let sealed = AESGCM.seal(record.json, key: Self.derivedKey(secret), authenticating: context) else {
            throw .sealBroken("\(key) cannot be sealed")
        }
        return label + sealed
    }

    func open(_ bytes: [UInt8], for key: StoreKey, secret: [UInt8]) -> Opened {
        guard bytes.count > Self.labelLength, bytes[0] == Self.version else { return .garbled }
        let label = Array(bytes[..<Self.labelLength])
        let sealed = Array(bytes[Self.labelLength...])
        let content = bytes[1] == 0 ? openWithSealer(sealed, label, key) : Self.open(sealed, label, key, secret)
        guard let content else { return .closed(Self.read(label)) }
        return RefreshRecord(json: content).map(Opened.record) ?? .garbled
    }

    private func openWithSealer(_ sealed: [UInt8], _ label: [UInt8], _ key: StoreKey) -> [UInt8]? {
        guard let sealer, let content = try? sealer.open(sealed, for: key).value, content.starts(with: label) else {
            return nil
        }
        return Array(content.dropFirst(label.count))
    }

    private static func open(_ sealed: [UInt8], _ label: [UInt8], _ key: StoreKey, _ secret: [UInt8]) -> [UInt8]? {
        AESGCM.open(sealed, key: derivedKey(secret), authenticating: label + Array(key.text.utf8))
    }

    /// HKDF-SHA256 (RFC 5869). The secret is a token, which cannot be guessed.
    private static func derivedKey(_ secret: [UInt8]) -> [UInt8] {
        HKDF.key(of: secret, info: Array("gatehouse refresh result".utf8))
    }

    private static func label(_ record: RefreshRecord, way: UInt8) -> [UInt8] {
        var label: [UInt8] = [version, way, record.isRenewed ? 1 : 0]
        let milliseconds = UInt64(max(0, min(record.madeAt.seconds, 1e12) * 1000))
        withUnsafeBytes(of: milliseconds.bigEndian) { label += $0 }
        let digest = record.newDigest ?? record.presented ?? []
        return label + (digest.count == digestLength ? digest : Array(repeating: 0, count: digestLength))
    }

    private static func read(_ label: [UInt8]) -> Label {
        let milliseconds = label[3..<11].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Label(
            isRenewed: label[2] == 1,
            madeAt: UnixTime(Double(milliseconds) / 1000),
            digest: Array(label[11...])
        )
    }
}
