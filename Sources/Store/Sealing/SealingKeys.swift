import Crypto
import Foundation

/// The keys of `GATEHOUSE_KEY`: the first seals, each of them opens. Changing the key is putting a new one in front,
/// and leaving out the old one when nothing sealed with it is left.
public struct SealingKeys: Sendable {
    /// Names a key without giving it away: the first bytes of a hash of it.
    struct KeyID: Sendable, Hashable {
        static let length = 4
        let bytes: [UInt8]
    }

    struct Key: Sendable {
        let id: KeyID
        let key: SymmetricKey

        init(_ bytes: [UInt8]) {
            id = KeyID(
                bytes: Array(SHA256.hash(data: Array("gatehouse sealing key".utf8) + bytes).prefix(KeyID.length))
            )
            key = SymmetricKey(data: bytes)
        }
    }

    private static let length = 32

    let first: Key
    let others: [Key]

    /// - Parameter text: 32 bytes in base64 (RFC 4648 section 4), or several of those, separated by commas.
    /// - Throws: ``StoreError/unusable(_:)``, which says what is wrong and shows nothing of the keys.
    public init(_ text: String) throws(StoreError) {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        var keys: [Key] = []
        for (index, word) in words.enumerated() {
            let place = words.count == 1 ? "GATEHOUSE_KEY" : "GATEHOUSE_KEY: key \(index + 1) of \(words.count)"
            keys.append(Key(try Self.read(word, place: place)))
        }
        guard let first = keys.first else { throw .unusable("GATEHOUSE_KEY is empty: \(Self.remedy)") }
        self.first = first
        others = Array(keys.dropFirst())
    }

    /// A key for something else than sealing, the same at every instance whose first key is the same (RFC 5869).
    ///
    /// - Parameter purpose: Another key for each.
    /// - Returns: 32 bytes, from which nobody gets back to the sealing key.
    public func derivedKey(for purpose: String) -> [UInt8] {
        let info = Array("gatehouse \(purpose)".utf8)
        return HKDF<SHA256>.deriveKey(inputKeyMaterial: first.key, info: info, outputByteCount: 32)
            .withUnsafeBytes(Array.init)
    }

    private static let remedy = "it takes 32 random bytes in base64, as `openssl rand -base64 32` gives"

    private static func read(_ word: Substring, place: String) throws(StoreError) -> [UInt8] {
        let word = word.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !word.isEmpty else { throw .unusable("\(place) is empty: \(remedy)") }
        guard let bytes = Data(base64Encoded: word) else {
            let isForURLs = word.contains { $0 == "-" || $0 == "_" }
            let reason = isForURLs ? "is base64url, not base64" : "is not base64"
            throw .unusable("\(place) \(reason): \(remedy)")
        }
        guard bytes.count == length else { throw .unusable("\(place) has \(bytes.count) bytes: \(remedy)") }
        return Array(bytes)
    }
}

extension SealingKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<\(1 + others.count) redacted>" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
