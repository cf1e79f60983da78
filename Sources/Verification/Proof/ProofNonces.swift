public import Time

/// Nonces for proofs of possession (RFC 9449 sections 8 and 9). Nobody keeps them: each is the time that it was made at
/// and an authentication code of that, so that every instance with the same key knows the others' nonces.
///
///     seconds (8 bytes, big-endian) · HMAC-SHA-256 of them, its first 16 bytes
public struct ProofNonces: Sendable {
    /// Seconds that a nonce is good for.
    public static let lifetime = 300.0
    /// Seconds that the clocks of two instances may differ by.
    private static let leeway = 30.0
    private static let timeLength = 8
    private static let codeLength = 16

    private let key: [UInt8]

    /// - Parameter key: 32 bytes that nobody but the instances knows, and that serve for nothing else.
    public init(key: [UInt8]) {
        self.key = key
    }

    /// With a key that nobody else has: only who made a nonce knows it again.
    public init() {
        self.init(key: (0..<32).map { _ in .random(in: .min ... .max) })
    }

    public func make(at now: UnixTime) -> String {
        let time = Self.bytes(of: UInt64(max(0, now.seconds)))
        return Base64URL.encode(time + code(of: time))
    }

    /// Whether the nonce is of an instance with the same key, and not too old.
    public func isGood(_ nonce: String, at now: UnixTime) -> Bool {
        guard let age = age(of: nonce, at: now) else { return false }
        return age >= -Self.leeway && age <= Self.lifetime
    }

    /// Whether half of the time of a good nonce is over: whoever used it should get a new one.
    public func isAging(_ nonce: String, at now: UnixTime) -> Bool {
        age(of: nonce, at: now).map { $0 > Self.lifetime / 2 } ?? true
    }

    /// Seconds since it was made; nil for what no instance with this key has made.
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
        guard let context = HMACContext(secret: key, hash: .sha256), let code = context.code(over: time.span) else {
            preconditionFailure("OpenSSL has no HMAC or no memory")
        }
        return Array(code.prefix(Self.codeLength))
    }

    private static func bytes(of number: UInt64) -> [UInt8] {
        (0..<timeLength).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
    }
}

extension ProofNonces: CustomStringConvertible, CustomReflectable {
    public var description: String { "proof nonces" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
