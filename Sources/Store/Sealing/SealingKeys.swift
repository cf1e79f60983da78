import FoundationEssentials
import Verification

/// The keys of `GATEHOUSE_KEY`: the first seals, each of them opens. To change the key, put a new one in front, and
/// remove the old one when nothing sealed with it is left.
public struct SealingKeys: Sendable {
    /// Identifies a key without revealing it: the first bytes of its hash.
    struct KeyID: Sendable, Hashable {
        static let length = 4
        let bytes: [UInt8]
    }

    struct Key: Sendable {
        let id: KeyID
        /// 32 bytes.
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) {
            let digest = SHA256.digest(Array("gatehouse sealing key".utf8) + bytes)
            id = KeyID(bytes: Array(digest.prefix(KeyID.length)))
            self.bytes = bytes
        }
    }

    private static let length = 32

    let first: Key
    let others: [Key]

    /// - Parameter text: 32 bytes in base64 (RFC 4648 section 4), or several of those, separated by commas.
    /// - Throws: ``StoreError/unusable(_:)``, with the problem, without any part of the keys.
    public init(_ text: String) throws(StoreError) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        var keys: [Key] = []
        for (index, part) in parts.enumerated() {
            let label = parts.count == 1 ? "GATEHOUSE_KEY" : "GATEHOUSE_KEY: key \(index + 1) of \(parts.count)"
            keys.append(Key(try Self.read(part, label: label)))
        }
        guard let first = keys.first else { throw .unusable("GATEHOUSE_KEY is empty: \(Self.remedy)") }
        self.first = first
        others = Array(keys.dropFirst())
    }

    /// A key for other purposes than sealing, the same on every instance with the same first key (RFC 5869).
    ///
    /// - Parameter purpose: Each purpose gives a different key.
    /// - Returns: 32 bytes that do not reveal the sealing key.
    public func derivedKey(for purpose: String) -> [UInt8] {
        HKDF.key(of: first.bytes, info: Array("gatehouse \(purpose)".utf8))
    }

    private static let remedy = "it takes 32 random bytes in base64, as `openssl rand -base64 32` gives"

    private static func read(_ part: Substring, label: String) throws(StoreError) -> [UInt8] {
        var text = part.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        guard !text.isEmpty else { throw .unusable("\(label) is empty: \(remedy)") }
        guard let bytes = Data(base64Encoded: String(text)) else {
            let isForURLs = text.contains { $0 == "-" || $0 == "_" }
            let reason = isForURLs ? "is base64url, not base64" : "is not base64"
            throw .unusable("\(label) \(reason): \(remedy)")
        }
        guard bytes.count == length else { throw .unusable("\(label) has \(bytes.count) bytes: \(remedy)") }
        return Array(bytes)
    }
}

extension SealingKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<\(1 + others.count) redacted>" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
