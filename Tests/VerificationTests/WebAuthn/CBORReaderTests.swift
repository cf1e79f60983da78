import TestSupport
import Testing

@testable import Verification

/// CBOR as authenticators write it.
struct CBORReaderTests {
    private static func read(_ hexadecimal: String) throws -> CBORValue? {
        try CBORReader.read(try #require(Hexadecimal.bytes(hexadecimal)))
    }

    /// From RFC 8949 appendix A.
    @Test(arguments: [
        ("00", CBORValue.unsigned(0)), ("17", .unsigned(23)), ("1818", .unsigned(24)), ("1903e8", .unsigned(1000)),
        ("1bffffffffffffffff", .unsigned(.max)), ("20", .negative(0)), ("3863", .negative(99)),
        ("f4", .bool(false)), ("f5", .bool(true)), ("f6", .null), ("40", .bytes([])),
        ("4401020304", .bytes([1, 2, 3, 4])),
        ("6449455446", .text("IETF")), ("80", .array([])),
        ("83010203", .array([.unsigned(1), .unsigned(2), .unsigned(3)])),
        (
            "a201020304",
            .map([
                CBORValue.Member(key: .unsigned(1), value: .unsigned(2)),
                CBORValue.Member(key: .unsigned(3), value: .unsigned(4)),
            ])
        ),
    ])
    func valuesAreRead(_ hexadecimal: String, _ value: CBORValue) throws {
        #expect(try Self.read(hexadecimal) == value)
    }

    @Test(arguments: [
        ("1817", CBORProblem.notCanonical), ("190018", .notCanonical), ("1a0000ffff", .notCanonical),
        ("1b00000000ffffffff", .notCanonical), ("9fff", .notCanonical), ("5f42010243030405ff", .notCanonical),
        ("c11a514b67b0", .unsupported), ("fb3ff199999999999a", .unsupported), ("f7", .unsupported),
        ("1c", .unsupported),
        ("62c328", .notUTF8), ("a201020103", .duplicateKey), ("42 01", .truncated), ("9bffffffffffffffff", .truncated),
        ("818181818181818180", .tooDeep), ("", .truncated), ("a101", .truncated), ("b841", .tooMany),
        ("bbffffffffffffffff", .tooMany),
    ])
    func othersAreRefused(_ hexadecimal: String, _ problem: CBORProblem) {
        #expect(throws: problem) { try Self.read(hexadecimal.replacing(" ", with: "")) }
    }

    @Test func bytesAfterTheValueAreRefused() throws {
        #expect(try Self.read("0000") == nil)
    }

    @Test func membersAreFoundByTheirKeys() throws {
        let value = try #require(try Self.read("a3010220036161f5"))
        #expect(value[1]?.integer == 2 && value[-1]?.integer == 3 && value["a"] == .bool(true) && value[2] == nil)
    }

    /// Nothing that an authenticator sends ends the process, or takes more memory than it has bytes.
    @Test func anyBytesAreReadOrRefused() {
        var random = SplitMix64(seed: 23)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = try? CBORReader.read(bytes)
        }
    }
}
