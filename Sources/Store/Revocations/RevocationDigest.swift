import Verification

/// 128 bits of a SHA-256 over the revoked subject; the key of records and lookups. Constructing two subjects with one
/// digest takes 2^64 attempts, and matching a given one 2^128.
public struct RevocationDigest: Sendable, Hashable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    public init(_ target: RevocationTarget) {
        switch target {
        case .token(let issuer, let tokenID): self.init(kind: 1, issuer.utf8, tokenID.utf8)
        case .signingInput(let sha256): self.init(kind: 2, sha256, [])
        case .session(let id): self.init(kind: 3, id.utf8, [])
        case .subject(let id): self.init(kind: 4, id.utf8, [])
        case .tenant: self.init(kind: 5, [], [])
        }
    }

    /// The length of the first part precedes it, so that different pairs have different bytes.
    private init(kind: UInt8, _ first: some Collection<UInt8>, _ second: some Collection<UInt8>) {
        var input: [UInt8] = [kind]
        withUnsafeBytes(of: UInt64(first.count).bigEndian) { input += $0 }
        input += first
        input += second
        (high, low) = SHA256.digest(input).withUnsafeBytes { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// 32 hexadecimal digits.
    public var text: String { Hexadecimal.text(high) + Hexadecimal.text(low) }

    /// Parses ``text``.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 32, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }
}
