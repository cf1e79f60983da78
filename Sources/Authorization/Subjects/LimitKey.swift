/// A subject's key under one limit in the ``ArrivalTable``.
package struct LimitKey: Sendable, Hashable {
    /// Bits for the tag in the word with the time; the rest holds microseconds until the year 2255.
    static let tagBits: UInt64 = 11
    static let tagMask: UInt64 = 1 << tagBits - 1
    /// Bits in the word with the fingerprint: the number of unsettled requests.
    package static let countBits: UInt64 = 20

    /// Selects the set.
    let bucket: UInt64
    /// Distinguishes the keys of a set; never 0, and its lowest bits are.
    let fingerprint: UInt64
    /// Marks the arrival time as this key's.
    package let tag: UInt64

    /// - Parameter salt: The limit's own.
    init(_ subject: LimitSubject, salt: LimitSalt) {
        self.init(bucket: subject.hash.0 ^ salt.bucket, mixed: subject.hash.1 ^ salt.fingerprint)
    }

    /// - Parameters:
    ///   - bucket: Any bits, like those of a hash.
    ///   - mixed: The same.
    init(bucket: UInt64, mixed: UInt64) {
        self.bucket = bucket
        fingerprint = max(mixed >> Self.countBits, 1) << Self.countBits
        tag = mixed & Self.tagMask
    }
}

/// Distinguishes the keys of one limit from those of all others.
struct LimitSalt: Sendable {
    fileprivate let bucket: UInt64
    fileprivate let fingerprint: UInt64

    init() {
        var generator = SystemRandomNumberGenerator()
        bucket = generator.next()
        fingerprint = generator.next()
    }
}

/// The subject for which one limit counts a caller's requests.
struct CallerLimitSubject {
    let subject: LimitSubject
    let key: LimitKey
}
