import TestSupport
import Testing

@testable import HTTPCore

/// What no encoder may send, and what a decoder must bear.
struct HPACKLimitTests {
    @Test(arguments: [
        ("80", HPACKFailure.indexOutOfRange), ("be", .indexOutOfRange), ("ff00", .indexOutOfRange),
        ("7e 01 61", .indexOutOfRange), ("0f 30 01 61", .indexOutOfRange), ("ff", .truncated), ("ff80", .truncated),
        ("40", .truncated), ("40 03 6162", .truncated), ("40 01 61", .truncated), ("40 01 61 02 62", .truncated),
        ("40 ff", .truncated), ("82 04", .truncated), ("ff ffff ffff ffff ffff ffff 01", .integerTooLarge),
        ("ff 8080 8080 00", .integerTooLarge), ("00 7f ffff ffff 7f", .integerTooLarge),
        ("82 20", .misplacedSizeUpdate), ("3f e1 1f 82 3f e1 1f", .misplacedSizeUpdate),
        ("3f e2 1f", .sizeUpdateTooLarge), ("3f 80 8080 01", .sizeUpdateTooLarge),
    ])
    func damagedBlockIsRefused(block: String, failure: HPACKFailure) {
        var decoder = HPACKDecoder()
        #expect(decoder.failure(of: hexadecimal(block)) == failure)
    }

    /// The code of `0` is 00000, that of `a` 00011, that of `&` 11111000; each is followed by its padding.
    @Test func paddingIsAtMostSevenOnes() throws {
        func value(_ coded: String) -> [UInt8] { [0x04, UInt8(0x80 | coded.count / 2)] + hexadecimal(coded) }
        var decoder = HPACKDecoder()
        #expect(try decoder.fields(of: value("07")) == [HPACKField(":path", "0")])
        #expect(try decoder.fields(of: value("1f")) == [HPACKField(":path", "a")])
        #expect(try decoder.fields(of: value("f8")) == [HPACKField(":path", "&")])
        #expect(try decoder.fields(of: value("")) == [HPACKField(":path", "")])
        for wrong in ["00", "06", "18", "1e", "07ff", "f8ff", "ff", "ffff", "f8ffffff", "ffffffff", "ffffffffffffffff"]
        {
            #expect(decoder.failure(of: value(wrong)) == .malformedHuffman, "\(wrong)")
        }
        // The end-of-string symbol, with something after it as well.
        #expect(decoder.failure(of: value("fffffffc")) == .malformedHuffman)
        #expect(decoder.failure(of: value("1fffffffe0000000")) == .malformedHuffman)
    }

    @Test func listStopsAtLimitsWhileTableContinues() throws {
        var decoder = HPACKDecoder()
        let field = hexadecimal("40 01 61 03 626364")
        let other = hexadecimal("40 01 65 01 66")
        var list = HeaderList()
        list.reset(maximumSize: 36 + 35, maximumFields: 10)
        try decoder.decode((field + field + other + [0x82]).span, into: &list)
        #expect(list.isTooLarge)
        #expect(list.texts == [HPACKField("a", "bcd")])
        #expect(list.size == 36)
        #expect(try decoder.fields(of: [0xbe, 0xbf]) == [HPACKField("e", "f"), HPACKField("a", "bcd")])
        list.reset(maximumSize: 1000, maximumFields: 2)
        try decoder.decode([0x82, 0x82].span, into: &list)
        #expect(!list.isTooLarge)
        list.reset(maximumSize: 1000, maximumFields: 1)
        try decoder.decode([0x82, 0x82].span, into: &list)
        #expect(list.isTooLarge)
        #expect(list.texts == [HPACKField(":method", "GET")])
    }

    @Test func fieldLargerThanTableEmptiesIt() throws {
        var decoder = HPACKDecoder()
        _ = try decoder.fields(of: hexadecimal("3f 09 40 01 61 01 62"))
        #expect(try decoder.fields(of: [0xbe]) == [HPACKField("a", "b")])
        _ = try decoder.fields(of: hexadecimal("40 01 61 08 6162636465666768"))
        #expect(decoder.failure(of: [0xbe]) == .indexOutOfRange)
    }

    @Test func sizeUpdateToZeroEmptiesTable() throws {
        var decoder = HPACKDecoder()
        _ = try decoder.fields(of: hexadecimal("40 01 61 01 62"))
        #expect(decoder.failure(of: hexadecimal("20 3f e1 1f be")) == .indexOutOfRange)
    }

    /// The name of the new entry is that of the one it evicts (RFC 7541 section 4.4).
    @Test func entryMayUseNameOfEvictedEntry() throws {
        var decoder = HPACKDecoder()
        _ = try decoder.fields(of: hexadecimal("3f 09 40 03 616263 01 62"))
        #expect(try decoder.fields(of: hexadecimal("7e 02 7879")) == [HPACKField("abc", "xy")])
        #expect(try decoder.fields(of: [0xbe]) == [HPACKField("abc", "xy")])
    }
}
