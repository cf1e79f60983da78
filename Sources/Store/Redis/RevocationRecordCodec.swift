import Time

/// A record as a field of a tenant's hash, in one line, with the digest as its name:
///
///     1763719200000-0 1763719200.25 1763805600.0 R {"kind":"jti","id":"…"}
///
/// That is its version, when it was revoked, when it expires (`inf` for never), `R`evoked or `W`ithdrawn, and the note.
/// An entry of the stream has the line without the version: that is the entry's own ID.
///
/// A start may read a million of them, hence the hand-written parser.
enum RevocationRecordCodec {
    /// All but the version.
    static func withoutVersion(_ record: RevocationRecord) -> [UInt8] {
        let state = record.isWithdrawn ? "W" : "R"
        return Array("\(record.revokedAt.seconds) \(record.expiresAt.seconds) \(state) ".utf8) + record.note.json
    }

    static func read(_ line: [UInt8], tenant: String, digest: [UInt8]) throws(StoreError) -> RevocationRecord {
        let bytes = line.span
        var position = 0
        guard let version = version(bytes.extracting(field(bytes, &position))) else { throw garbled(tenant, digest) }
        return try read(bytes, from: position, version: version, tenant: tenant, digest: digest)
    }

    /// - Parameter line: The result of ``withoutVersion(_:)``.
    static func read(
        _ line: [UInt8],
        version: UInt64,
        tenant: String,
        digest: [UInt8]
    ) throws(StoreError) -> RevocationRecord {
        try read(line.span, from: 0, version: version, tenant: tenant, digest: digest)
    }

    private static func read(
        _ bytes: Span<UInt8>,
        from start: Int,
        version: UInt64,
        tenant: String,
        digest digestText: [UInt8]
    ) throws(StoreError) -> RevocationRecord {
        var position = start
        guard let digest = RevocationDigest(digits: digestText.span),
            let revokedAt = number(bytes.extracting(field(bytes, &position))), revokedAt.isFinite,
            let expiresAt = number(bytes.extracting(field(bytes, &position))), !expiresAt.isNaN
        else { throw garbled(tenant, digestText) }
        let state = field(bytes, &position)
        let isWithdrawn = state.count == 1 && bytes[state.lowerBound] == UInt8(ascii: "W")
        guard isWithdrawn || state.count == 1 && bytes[state.lowerBound] == UInt8(ascii: "R"),
            let note = RevocationNote(json: bytes.extracting(position..<bytes.count))
        else { throw garbled(tenant, digestText) }
        return RevocationRecord(
            tenant: tenant,
            digest: digest,
            isWithdrawn: isWithdrawn,
            revokedAt: UnixTime(revokedAt),
            expiresAt: UnixTime(expiresAt),
            version: version,
            note: note
        )
    }

    /// Up to the next space, which is skipped.
    private static func field(_ bytes: Span<UInt8>, _ position: inout Int) -> Range<Int> {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: " ") { position += 1 }
        let end = position
        position = min(position + 1, bytes.count)
        return start..<end
    }

    private static func version(_ field: Span<UInt8>) -> UInt64? {
        var milliseconds: UInt64?
        var number: UInt64 = 0
        for index in field.indices {
            let byte = field[index]
            if byte == UInt8(ascii: "-"), milliseconds == nil, index > 0, index < field.count - 1 {
                milliseconds = number
                number = 0
            } else if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), number < 1 << 53 {
                number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
            } else {
                return nil
            }
        }
        return milliseconds.flatMap { RedisStreamID(milliseconds: $0, sequence: number).version }
    }

    /// The exact value of a number as Swift writes it.
    static func number(_ field: Span<UInt8>) -> Double? {
        var digits: UInt64 = 0
        var decimals = -1
        for index in field.indices {
            let byte = field[index]
            if byte == UInt8(ascii: "."), decimals < 0 {
                decimals = 0
            } else if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), digits < 1 << 49 {
                digits = digits * 10 + UInt64(byte - UInt8(ascii: "0"))
                if decimals >= 0 { decimals += 1 }
            } else {
                return rarelyWritten(field)
            }
        }
        guard field.count > (decimals < 0 ? 0 : 1), decimals < powersOfTen.count else { return nil }
        // A Double holds both exactly, so that their quotient is correctly rounded.
        return Double(digits) / powersOfTen[max(0, decimals)]
    }

    /// With an exponent, a sign, or infinite (`inf`).
    private static func rarelyWritten(_ field: Span<UInt8>) -> Double? {
        // The system's parser stops at a zero byte, and would accept what comes before it.
        for index in field.indices where field[index] <= UInt8(ascii: " ") || field[index] > 0x7e { return nil }
        return Double(String(decoding: field.indices.map { field[$0] }, as: UTF8.self))
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    ]

    private static func garbled(_ tenant: String, _ digest: [UInt8]) -> StoreError {
        .garbled("the revocation \(String(decoding: digest.prefix(32), as: UTF8.self)) of \(tenant)")
    }
}

extension RevocationDigest {
    /// Parses the result of ``text``.
    init?(digits: Span<UInt8>) {
        guard digits.count == 32 else { return nil }
        var halves: [2 of UInt64] = [0, 0]
        for index in 0..<32 {
            let value: UInt8
            switch digits[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digits[index] - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digits[index] - UInt8(ascii: "a") + 10
            default: return nil
            }
            halves[index / 16] = halves[index / 16] << 4 | UInt64(value)
        }
        self.init(high: halves[0], low: halves[1])
    }
}
