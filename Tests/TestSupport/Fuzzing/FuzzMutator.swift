/// Makes inputs from other inputs: changes, inserts and removes bytes; repeats and moves pieces, and takes them from
/// another input or from the tokens of the format.
struct FuzzMutator {
    static let longestInput = 8192
    /// Bytes that mean something to most parsers.
    static let significantBytes =
        Array("\r\n\t\0 :;,=\"'\\/%_-+*.#?&@<>()[]{}019afAFx\u{7f}".utf8) + [0x80, 0xc0, 0xff]
    private static let numbers = [
        "0", "00", "-1", "1e9", "255", "256", "65535", "65536", "2147483648", "4294967296", "9223372036854775807",
        "9223372036854775808", "18446744073709551616", "1e309", "0.1", "99999999999999999999",
    ].map { Array($0.utf8) }
    private static let boundaries: [UInt8] = [0, 1, 0x0f, 0x1f, 0x3f, 0x7e, 0x7f, 0x80, 0xfe, 0xff]

    let words: [[UInt8]]

    /// One to four changes of `input`.
    func mutated(_ input: [UInt8], _ other: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var result = input
        for _ in 0..<Int.random(in: 1...4, using: &random) { change(&result, other, &random) }
        if result.count > Self.longestInput { result.removeSubrange(Self.longestInput...) }
        return result
    }

    private func change(_ bytes: inout [UInt8], _ other: [UInt8], _ random: inout SplitMix64) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<15, using: &random) {
        case 0: replaceByte(&bytes, UInt8.random(in: .min ... .max, using: &random), &random)
        case 1: flipBit(&bytes, &random)
        case 2, 3: replaceByte(&bytes, Self.significantBytes.randomElement(using: &random) ?? 0, &random)
        case 4, 5: bytes.insert(Self.significantBytes.randomElement(using: &random) ?? 0, at: place)
        case 6: replaceByte(&bytes, Self.boundaries.randomElement(using: &random) ?? 0, &random)
        case 7: bytes.removeSubrange(piece(of: bytes, &random))
        case 8: bytes.insert(contentsOf: bytes[piece(of: bytes, &random)], at: place)
        case 9: bytes.insert(contentsOf: other[piece(of: other, &random)], at: place)
        case 10: bytes = Array(bytes[..<place]) + other[piece(of: other, &random).lowerBound...]
        case 11: replaceNumber(&bytes, &random)
        case 12: bytes.insert(contentsOf: line(of: bytes, &random), at: lineStart(in: bytes, before: place))
        case 13: overwrite(&bytes, with: words.randomElement(using: &random) ?? [], &random)
        default: bytes.insert(contentsOf: words.randomElement(using: &random) ?? [], at: place)
        }
    }

    private func replaceByte(_ bytes: inout [UInt8], _ byte: UInt8, _ random: inout SplitMix64) {
        guard let place = bytes.indices.randomElement(using: &random) else { return }
        bytes[place] = byte
    }

    /// Overwrites as many bytes with a token, so that preceding lengths still fit.
    private func overwrite(_ bytes: inout [UInt8], with word: [UInt8], _ random: inout SplitMix64) {
        guard bytes.count >= word.count else { return }
        let start = Int.random(in: 0...(bytes.count - word.count), using: &random)
        bytes.replaceSubrange(start..<(start + word.count), with: word)
    }

    private func flipBit(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        guard let place = bytes.indices.randomElement(using: &random) else { return }
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    }

    /// Replaces a run of digits with another number.
    private func replaceNumber(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let starts = bytes.indices.filter { digits.contains(bytes[$0]) && ($0 == 0 || !digits.contains(bytes[$0 - 1])) }
        guard let start = starts.randomElement(using: &random), let number = Self.numbers.randomElement(using: &random)
        else { return }
        let end = bytes[start...].firstIndex { !digits.contains($0) } ?? bytes.count
        bytes.replaceSubrange(start..<end, with: number)
    }

    /// Mostly short, sometimes any length.
    private func piece(of bytes: [UInt8], _ random: inout SplitMix64) -> Range<Int> {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let longest = Bool.random(using: &random) ? min(16, bytes.count - start) : bytes.count - start
        return start..<(start + Int.random(in: 0...longest, using: &random))
    }

    private func line(of bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        let start = lineStart(in: bytes, before: Int.random(in: 0...bytes.count, using: &random))
        let end = bytes[start...].firstIndex(of: 0x0a).map { $0 + 1 } ?? bytes.count
        return Array(bytes[start..<end])
    }

    private func lineStart(in bytes: [UInt8], before place: Int) -> Int {
        bytes[..<place].lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
    }
}
