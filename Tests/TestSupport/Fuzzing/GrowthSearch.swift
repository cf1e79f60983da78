import Glibc

/// Looks for inputs for which the work of a target grows faster than their length: a seed with one piece repeated, at
/// growing lengths.
///
/// Work is processor time here, of which only a steep growth that is found three times counts; so this is a search by
/// hand (`FUZZ_GROWTH`), not a test. What it finds becomes a test that counts steps.
struct GrowthSearch {
    private static let lengths = (0...8).map { 500 << $0 }
    /// Lengths double: so does linear work, and quadratic work takes four times as long. A bound that ends the work
    /// somewhere is a step once or twice, not growth at three lengths that follow each other.
    private static let steepGrowth = 2.6
    /// Seconds below which a difference means nothing.
    private static let leastTime = 0.004
    /// Seconds after which no longer input is tried.
    private static let mostTime = 1.0

    let target: FuzzTarget

    /// Tries one shape of input, and gives the lengths and times if they grow too fast.
    func next(_ random: inout SplitMix64) throws -> String? {
        let shape = shape(&random)
        var times: [Double] = []
        for length in Self.lengths {
            times.append(try time(shape, length))
            if isSteep(times) {
                let lengths = Self.lengths[..<times.count].suffix(4)
                let again = try lengths.map { length in
                    try (0..<3).map { _ in try time(shape, length) }.min() ?? 0
                }
                if isSteep(again) { return "\(shape): \(Array(zip(lengths, again)))" }
            }
            if times.last ?? 0 > Self.mostTime { break }
        }
        return nil
    }

    private func isSteep(_ times: [Double]) -> Bool {
        let last = Array(times.suffix(4))
        guard last.count == 4, last[3] > Self.leastTime else { return false }
        return zip(last, last.dropFirst()).allSatisfy { $1 > Self.steepGrowth * $0 }
    }

    private func time(_ shape: Shape, _ length: Int) throws -> Double {
        let input = shape.input(length)
        let start = Self.now
        _ = try target.check(input)
        return Self.now - start
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func shape(_ random: inout SplitMix64) -> Shape {
        let seed = target.seeds.randomElement(using: &random) ?? []
        let place = Int.random(in: 0...seed.count, using: &random)
        var piece: [UInt8] = []
        for _ in 0..<Int.random(in: 1...2, using: &random) { piece += part(of: seed, &random) }
        if piece.isEmpty { piece = [0x61] }
        return Shape(
            start: Array(seed[..<place]),
            piece: piece,
            end: Array(seed[place...]),
            isNumbered: Bool.random(using: &random)
        )
    }

    private func part(of seed: [UInt8], _ random: inout SplitMix64) -> ArraySlice<UInt8> {
        let start = Int.random(in: 0...seed.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return FuzzMutator.significantBytes.randomElement(using: &random).map { [$0] } ?? []
        case 1: return (target.words.randomElement(using: &random) ?? [])[...]
        case 2: return seed[start..<min(seed.count, start + Int.random(in: 1...24, using: &random))]
        default:
            let line = seed[..<start].lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
            return seed[line..<(seed[start...].firstIndex(of: 0x0a).map { $0 + 1 } ?? seed.count)]
        }
    }

    private struct Shape: CustomStringConvertible {
        var start: [UInt8]
        var piece: [UInt8]
        var end: [UInt8]
        /// Whether each repetition has its number before it, so that no two are equal.
        var isNumbered: Bool

        func input(_ length: Int) -> [UInt8] {
            var input = start
            input.reserveCapacity(length + 64)
            var number = 0
            while input.count + end.count < length {
                if isNumbered { input += Array(String(number, radix: 36).utf8) }
                input += piece
                number += 1
            }
            return input + end
        }

        var description: String {
            let texts = [start, piece, end].map { String(decoding: $0, as: UTF8.self).debugDescription }
            return "\(texts[0]) + \(texts[1]) repeated\(isNumbered ? " and numbered" : "") + \(texts[2])"
        }
    }
}
