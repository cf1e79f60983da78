import TestSupport
import Testing
import Time

@testable import Proxy

struct BytePatternTests {
    /// The index as a linear search finds it.
    private func plainIndex(of text: [UInt8], in bytes: [UInt8], _ range: Range<Int>) -> Int? {
        range.first { bytes[$0..<range.upperBound].starts(with: text) }
    }

    @Test func searchMatchesPlainSearch() {
        var random = SplitMix64(seed: 73)
        var found = 0
        for _ in 0..<20_000 {
            let text = (0..<(1 + random.below(6))).map { _ in UInt8(97 + random.below(2)) }
            let bytes = (0..<random.below(30)).map { _ in UInt8(97 + random.below(2)) }
            let start = random.below(bytes.count + 1)
            let range = start..<(start + random.below(bytes.count - start + 1))
            var pattern = BytePattern(text)
            let index = pattern.firstIndex(in: bytes.span, range)
            #expect(index == plainIndex(of: text, in: bytes, range))
            if index != nil { found += 1 }
        }
        #expect(found > 4000)
    }

    @Test func emptyTextIsNotFound() {
        var pattern = BytePattern([])
        #expect(pattern.firstIndex(in: [1, 2].span, 0..<2) == nil)
    }

    @Test func workIsLinearForRepeatedPrefixes() {
        for length in [1000, 2000, 4000, 8000, 16_000] {
            let bytes = [UInt8](repeating: 97, count: length)
            for text in [[UInt8](repeating: 97, count: length / 2) + [98], [97, 97, 98], [98]] {
                var pattern = BytePattern(text)
                #expect(pattern.firstIndex(in: bytes.span, 0..<length) == nil)
                #expect(pattern.comparisons <= 2 * length)
            }
        }
    }
}
