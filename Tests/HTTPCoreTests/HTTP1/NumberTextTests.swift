import NIOCore
import TestSupport
import Testing

@testable import HTTPCore

struct NumberTextTests {
    private func written(_ body: (inout ByteBuffer) -> Void) -> String {
        var out = ByteBuffer()
        body(&out)
        return String(buffer: out)
    }

    @Test func decimalsMatchSwift() {
        var random = SplitMix64(seed: 30)
        let numbers =
            [0, 1, 9, 10, 99, 100, 65535, Int.max] + (0..<200).map { _ in random.below(1 << random.within(1...62)) }
        for number in numbers { #expect(written { $0.writeDecimal(number) } == String(number)) }
    }

    @Test func chunkSizesMatchSwift() {
        var random = SplitMix64(seed: 31)
        let numbers =
            [0, 1, 15, 16, 255, 256, Int.max] + (0..<200).map { _ in random.below(1 << random.within(1...62)) }
        for number in numbers { #expect(written { $0.writeChunkSize(number) } == String(number, radix: 16)) }
    }

    @Test(arguments: [
        ("0", 0), ("7", 7), ("007", 7), ("999999999999999999", 999_999_999_999_999_999), ("1000000000000000000", nil),
        ("", nil), ("+1", nil), ("1 ", nil), ("a", nil), ("00000000000000000000000000000000000001", 1),
    ])
    func decimalsAreReadOrRefused(text: String, expected: Int?) {
        let bytes = Array(text.utf8)
        let number = bytes.span.decimal(0..<bytes.count)
        #expect(number == expected)
    }

    @Test func listMembersAreTrimmedWithoutEmptyOnes() {
        let bytes = Array(" a ,,\tb c\t, ,d".utf8)
        var members: [String] = []
        bytes.span.forEachListMember(0..<bytes.count) { members.append(String(decoding: bytes[$0], as: UTF8.self)) }
        #expect(members == ["a", "b c", "d"])
    }
}
