package import Tenants
import Verification

/// A subject whose requests are counted together, under any limit. Derived once per connection or token.
package struct LimitSubject: Sendable, Equatable {
    /// With a random key per process: clients cannot choose addresses or subjects that share a set of the table.
    private static let sipHash = SipHash.withRandomKey()

    package let hash: (UInt64, UInt64)
    package let name: SubjectName

    /// All of a tenant's requests.
    package static let tenant = LimitSubject([], name: SubjectName(hashing: []))

    /// An IPv4 address, or the first 64 bits of an IPv6 one: a single client can choose the rest.
    package init(_ address: IPAddress) {
        let bytes = address.bytes.count == 16 ? Array(address.bytes[..<8]) : address.bytes
        self.init(bytes, name: SubjectName(short: bytes))
    }

    /// A caller by a claim: the same text from another issuer is a different subject.
    package init(_ text: String, of issuer: String) {
        let bytes = Array(issuer.utf8) + [0] + Array(text.utf8)
        self.init(bytes, name: SubjectName(hashing: bytes))
    }

    private init(_ bytes: [UInt8], name: SubjectName) {
        hash = Self.sipHash.hash(bytes.span)
        self.name = name
    }

    package static func == (left: LimitSubject, right: LimitSubject) -> Bool { left.name == right.name }
}

/// A subject's name in the store: the same in all instances.
package struct SubjectName: Sendable, Hashable {
    package let high: UInt64
    package let low: UInt64

    /// Half of the SHA-256.
    init(hashing bytes: [UInt8]) {
        let digest = SHA256.digest(bytes)
        high = Self.word(digest.prefix(8))
        low = Self.word(digest.dropFirst(8).prefix(8))
    }

    /// Up to eight bytes, unhashed: cheap enough to make for each request from a proxy.
    init(short bytes: [UInt8]) {
        high = UInt64(bytes.count)
        low = Self.word(bytes.prefix(8))
    }

    private static func word(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    /// 32 lower-case hexadecimal digits.
    package var text: String { Hexadecimal.text(high) + Hexadecimal.text(low) }
}
