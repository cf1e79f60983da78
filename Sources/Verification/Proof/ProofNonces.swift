public import Time

/// Nonces for proofs of possession (RFC 9449 sections 8 and 9). They are not stored: each is its creation time with an
/// authentication code, so that every instance with the same key accepts the others' nonces.
///
///     seconds (8 bytes, big-endian) · HMAC-SHA-256 of them, its first 16 bytes
public struct ProofNonces: Sendable {
    /// Seconds for which a nonce is valid.
    public static let lifetime = 300.0
    /// Seconds by which the clocks of two instances may differ.
    private static let leeway = 30.0
    private static let timeLength = 8
    private static let codeLength = 16

    private let key: [UInt8]

    /// - Parameter key: 32 secret bytes, shared by the instances and used for nothing else.
    public init(key: [UInt8]) {
        self.key = key
    }

    /// With a random key: only this instance accepts its nonces.
    public init() {
        self.init(key: (0..<32).map { _ in .random(in: .min ... .max) })
    }

    public func make(at now: UnixTime) -> String {
        let time = Self.bytes(of: UInt64(max(0, now.seconds)))
        return Base64URL.encode(time + code(of: time))
    }

    /// Whether the nonce was made with the same key, and is not too old.
    public func isGood(_ nonce: String, at now: UnixTime) -> Bool {
        guard let age = age(of: nonce, at: now) else { return false }
        return age >= -Self.leeway && age <= Self.lifetime
    }

    /// Whether half of a valid nonce's lifetime is over: its user should get a new one.
    public func isAging(_ nonce: String, at now: UnixTime) -> Bool {
        age(of: nonce, at: now).map { $0 > Self.lifetime / 2 } ?? true
    }

    /// Seconds since it was made; nil if it was not made with this key.
    private func age(of nonce: String, at now: UnixTime) -> Double? {
        guard nonce.utf8.count == (Self.timeLength + Self.codeLength) / 3 * 4, let bytes = Base64URL.decode(nonce)
        else {
            return nil
        }
        let time = Array(bytes.prefix(Self.timeLength))
        guard ConstantTime.areEqual(code(of: time), Array(bytes.dropFirst(Self.timeLength))) else { return nil }
        return now.seconds - Double(time.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    private func code(of time: [UInt8]) -> [UInt8] {
        Array(HMACSHA256.code(of: time, key: key).prefix(Self.codeLength))
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        (0..<timeLength).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
    }
}

extension ProofNonces: CustomStringConvertible, CustomReflectable {
    public var description: String { "proof nonces" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
