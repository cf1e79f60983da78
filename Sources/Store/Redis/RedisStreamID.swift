/// The ID of a stream's entry: Unix milliseconds of the server and a sequence number. Versions are made from it, and
/// convert back.
struct RedisStreamID: Sendable, Hashable, Comparable {
    static let zero = RedisStreamID(milliseconds: 0, sequence: 0)

    let milliseconds: UInt64
    let sequence: UInt64

    init(milliseconds: UInt64, sequence: UInt64) {
        self.milliseconds = milliseconds
        self.sequence = sequence
    }

    init(version: UInt64) {
        milliseconds = version >> RevocationVersion.countBits
        sequence = version & (1 << RevocationVersion.countBits - 1)
    }

    /// - Parameter text: `milliseconds-sequence`.
    init?(_ text: some Collection<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = UInt64(digits: parts[0]), let sequence = UInt64(digits: parts[1])
        else {
            return nil
        }
        self.init(milliseconds: milliseconds, sequence: sequence)
    }

    var text: String { "\(milliseconds)-\(sequence)" }

    /// Nil if it does not fit: the scripts do not write such.
    var version: UInt64? {
        guard milliseconds < 1 << (63 - RevocationVersion.countBits), sequence < 1 << RevocationVersion.countBits else {
            return nil
        }
        return milliseconds << RevocationVersion.countBits | sequence
    }

    static func < (first: RedisStreamID, second: RedisStreamID) -> Bool {
        (first.milliseconds, first.sequence) < (second.milliseconds, second.sequence)
    }
}

extension UInt64 {
    /// One to twenty decimal digits and nothing else.
    init?(digits: some Collection<UInt8>) {
        var value: UInt64 = 0
        for byte in digits {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = shifted.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            if isTooLarge || overflows { return nil }
            value = sum
        }
        guard !digits.isEmpty else { return nil }
        self = value
    }
}
