extension SplitMix64 {
    /// `count` bytes of `alphabet`.
    package mutating func bytes(_ count: Int, of alphabet: [UInt8]) -> [UInt8] {
        (0..<count).map { _ in pick(alphabet) }
    }

    /// The text with each letter in either case.
    package mutating func anyCase(_ text: String) -> [UInt8] {
        text.utf8.map { byte in
            let isLetter = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
            return isLetter && oneIn(2) ? byte ^ 0x20 : byte
        }
    }

    /// `bytes` cut into pieces of 1 to `longest`.
    package mutating func pieces(_ bytes: [UInt8], longest: Int) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + within(1...longest))
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }

    /// One to four random injuries: a byte changed, put in or taken out, a line doubled, a stretch cut out.
    package mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var result = bytes
        for _ in 0..<within(1...4) where !result.isEmpty {
            let place = below(result.count)
            switch below(7) {
            case 0: result[place] = UInt8(truncatingIfNeeded: next())
            case 1: result[place] ^= 1 << UInt8(below(8))
            case 2: result.insert(pick(Self.telling), at: place)
            case 3: result.remove(at: place)
            case 4: result[place] = pick(Self.telling)
            case 5:
                let end = min(result.count, place + within(1...12))
                result.removeSubrange(place..<end)
            default: doubleLine(&result, at: place)
            }
        }
        return result
    }

    private mutating func doubleLine(_ bytes: inout [UInt8], at place: Int) {
        let start = bytes[..<place].lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
        let end = bytes[place...].firstIndex(of: 0x0a).map { $0 + 1 } ?? bytes.count
        bytes.insert(contentsOf: bytes[start..<end], at: oneIn(2) ? start : end)
    }

    /// Bytes that mean something to a parser.
    private static let telling = Array("\r\n\t\0 :;,=\"\\/%_-*.#?0159afAFHx\u{7f}".utf8)
}
