import TestSupport
import Testing

@testable import HTTPCore

struct FullyDecodedPathTests {
    private func decoded(_ text: String) -> String {
        String(decoding: FullyDecodedPath(Array(text.utf8).span).bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("/", "/"), ("/a%20b", "/a b"), ("/%2561", "/a"), ("/%252525252561", "/a"), ("/%25%36%31", "/a"),
        ("/%%32%35%36%31", "/a"), ("/%2%35%36%31", "/a"), ("/%2%35", "/%"), ("/%", "/%"), ("/%4", "/%4"),
        ("/%4%31", "/A"), ("/%zz%41", "/%zzA"), ("/%25zz", "/%zz"), ("/%2525", "/%"), ("/%252", "/%2"),
        ("/%252%66", "//"),
    ])
    func nestedEscapesAreDecoded(path: String, expected: String) {
        #expect(decoded(path) == expected)
    }

    // MARK: Against decoding again and again

    private static let parts = ["%", "2", "5", "6", "1", "f", "%25", "%2", "%32", "%35", "%66", "/", "a", "%2561"]

    private func decodedOnce(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap(\.hexValue)
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                result.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    @Test func onePassMatchesRepeatedDecoding() {
        var random = SplitMix64(seed: 71)
        var nested = 0
        for _ in 0..<40_000 {
            let path = (0..<random.below(16)).reduce(into: [UInt8]()) { path, _ in path += random.pick(Self.parts).utf8
            }
            var rounds: [[UInt8]] = [path]
            while let last = rounds.last, case let next = decodedOnce(last), next != last { rounds.append(next) }
            if rounds.count > 2 { nested += 1 }
            guard FullyDecodedPath(path.span).bytes == rounds.last else {
                Issue.record("\(String(decoding: path, as: UTF8.self))")
                return
            }
        }
        #expect(nested > 5000)
    }

    /// Decoding in rounds takes thousands of them for the first of these paths, each through the whole of it.
    @Test func workIsLinearInLength() {
        for length in [1024, 2048, 4096, 8192, 16_384] {
            for unit in ["25", "%25", "%2525", "%%32%35", "%32", "a", "%"] {
                let text = "/%" + String(repeating: unit, count: length / unit.utf8.count)
                let decoded = FullyDecodedPath(Array(text.utf8).span)
                #expect(decoded.steps <= 3 * text.utf8.count, "\(length) bytes of \(unit)")
            }
        }
    }

    // MARK: What it may name

    @Test(arguments: [
        "/.gatehouse", "/%2egatehouse%2f", "/%252egatehouse\\", "/a/..%2f.GateHouse/x", "/%25252525252egatehouse",
        "/x.gatehouse", "/..gatehouse",
    ])
    func pathThatMayNameOursIsFound(path: String) {
        #expect(FullyDecodedPath(Array(path.utf8).span).mayNameOurs)
    }

    @Test(arguments: ["/", "", "/gatehouse", "/.gate/fixture", "/.gatehous", "/%2fgatehouse"])
    func otherPathIsNotOurs(path: String) {
        #expect(!FullyDecodedPath(Array(path.utf8).span).mayNameOurs)
    }

    @Test func segmentsMatchEveryReading() {
        let path = FullyDecodedPath(Array("/a%2fb\\c/d;x=1/..%5ce//%2566;/".utf8).span)
        #expect(path.segments == Set(["a", "b", "c", "d", "..", "e", "f"].map { Array($0.utf8) }))
    }

    @Test(arguments: ["/a%u0062", "/100%25", "/a%00b", "/a%0ab", "/a%7f", "/%c1%a1", "/%ff"])
    func ambiguousBytesGiveNoSegments(path: String) {
        #expect(FullyDecodedPath(Array(path.utf8).span).segments == nil)
    }
}
