import TestSupport
import Testing

@testable import Store

@Suite struct RevocationRecordCodecTests {
    private static let record = RevocationRecord(
        revocation("id", at: 1_763_719_200.25, expires: 1_763_805_600, reason: "lost"),
        version: 1_763_719_200_000 << 20 | 3
    )
    private static let line = Array("1763719200000-3 ".utf8) + RevocationRecordCodec.withoutVersion(record)
    private static let digest = Array(record.digest.text.utf8)

    private func read(_ line: [UInt8], digest: [UInt8] = digest) -> RevocationRecord? {
        try? RevocationRecordCodec.read(line, tenant: "chat", digest: digest)
    }

    @Test func lineIsReadable() {
        let text = String(decoding: Self.line, as: UTF8.self)
        #expect(
            text == """
                1763719200000-3 1763719200.25 1763805600.0 R \
                {"kind":"jti","id":"id","issuer":"https://issuer.example","reason":"lost"}
                """
        )
        #expect(read(Self.line) == Self.record)
    }

    @Test func numbersRoundTripExactly() {
        var generator = SplitMix64(seed: 6)
        let odd: [Double] = [
            0, -0.0, 0.1, 1e15, 123_456_789_012_345_680, 1e22, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
            -1.5, .infinity,
        ]
        let times = (0..<3000).map { _ in 1.7e9 + Double(generator.next() % 1_000_000_000_000) / 1_000_000 }
        let any = (0..<3000).map { _ in Double(bitPattern: generator.next()) }.filter { !$0.isNaN }
        for number in odd + times + any {
            let read = RevocationRecordCodec.number(Array("\(number)".utf8).span)
            #expect(read?.bitPattern == number.bitPattern, "\(number)")
        }
    }

    @Test func invalidLinesAreRejected() {
        for count in Self.line.indices { #expect(read(Array(Self.line.prefix(count))) == nil) }
        let good = String(decoding: Self.line, as: UTF8.self)
        for (part, instead) in [
            ("1763719200000-3", "1763719200000"), ("-3 ", "- "), ("1763719200000-", "-"), ("-3", "-1048576"),
            ("1763719200000", "99999999999999999999999"), ("1763719200000", "17592186044416"), ("-3 ", "-3-3 "),
            ("1763719200.25", "nan"), ("1763719200.25", "inf"), ("1763719200.25", "7\u{0}"),
            ("1763719200.25", "1e5\u{0}"), ("1763719200.25", "\t7"), ("1763719200.25", ""), ("1763719200.25", "1.2.3"),
            ("1763805600.0", "nan"), ("1763805600.0", "."), (" R ", " X "), (" R ", " RR "), (" R ", " "),
        ] {
            let changed = good.replacing(part, with: instead, maxReplacements: 1)
            #expect(read(Array(changed.utf8)) == nil, "\(changed)")
        }
        #expect(read(Self.line, digest: Array("0123".utf8)) == nil)
    }

    @Test func streamIDConvertsToAVersionAndBack() {
        #expect(RedisStreamID("1763719200000-3".utf8)?.version == Self.record.version)
        #expect(RedisStreamID(version: Self.record.version).text == "1763719200000-3")
        #expect(RedisStreamID("0-0".utf8) == .zero)
        #expect(RedisStreamID("1-1048576".utf8)?.version == nil)
        #expect(RedisStreamID("8796093022208-0".utf8)?.version == nil)
        for text in ["", "-", "1", "1-", "-1", "1-2-3", "1-x", "+1-2", "99999999999999999999-0"] {
            #expect(RedisStreamID(text.utf8) == nil, "\(text)")
        }
        #expect(RedisStreamID(milliseconds: 1, sequence: 9) < RedisStreamID(milliseconds: 2, sequence: 0))
    }
}
