/// Decodes Huffman-coded strings (RFC 7541 section 5.2) with one table indexed by the next bits.
public struct HuffmanDecoder: Sendable {
    static let shared = HuffmanDecoder()

    /// Two short symbols fit into this many bits, which halves the steps of most text. A wider table would evict the
    /// rest of the gateway from the first-level cache.
    private static let stepBits = 12

    /// What the next bits begin with: one or two symbols, or the start of a longer code. One machine word, since
    /// reading the table is most of the work.
    private struct Step {
        private var word: UInt32

        /// The start of a code that is longer than a step.
        static let long = Step(word: 0)

        private init(word: UInt32) {
            self.word = word
        }

        init(_ symbol: Int) {
            let length = UInt32(HuffmanCode.lengths[symbol])
            word = UInt32(truncatingIfNeeded: symbol) | length << 16 | length << 21 | 1 << 26
        }

        init(_ first: Int, _ second: Int) {
            let length = UInt32(HuffmanCode.lengths[first])
            word = UInt32(truncatingIfNeeded: first) | UInt32(truncatingIfNeeded: second) << 8
            word |= length << 16 | (length + UInt32(HuffmanCode.lengths[second])) << 21 | 2 << 26
        }

        var isLong: Bool { word == 0 }
        var first: UInt8 { UInt8(truncatingIfNeeded: word) }
        /// The first symbol in the lower byte, and the second in the upper one; arbitrary if there is none.
        var both: UInt16 { UInt16(truncatingIfNeeded: word) }
        var firstBits: Int { Int(truncatingIfNeeded: word >> 16 & 31) }
        /// Of all its symbols.
        var bits: Int { Int(truncatingIfNeeded: word >> 21 & 31) }
        var symbolCount: Int { Int(truncatingIfNeeded: word >> 26) }
    }

    private var steps: [Step]
    /// For each length the first code above those of that length, left-aligned in 32 bits.
    private var limits = [UInt64](repeating: 0, count: HuffmanCode.longest + 1)
    /// For each length its first code, right-aligned, and the index of its symbol in the order of codes.
    private var firstCodes = [UInt32](repeating: 0, count: HuffmanCode.longest + 1)
    private var firstIndices = [Int](repeating: 0, count: HuffmanCode.longest + 1)
    private let symbols = HuffmanCode.symbolsInOrder

    private init() {
        steps = [Step](repeating: .long, count: 1 << Self.stepBits)
        fillLengths()
        fillSteps()
    }

    private mutating func fillLengths() {
        var index = 0
        var limit: UInt64 = 0
        for length in 1...HuffmanCode.longest {
            firstIndices[length] = index
            firstCodes[length] = UInt32(truncatingIfNeeded: limit >> UInt64(32 - length))
            let count = HuffmanCode.lengths.count { $0 == length }
            index += count
            limit += UInt64(count) << UInt64(32 - length)
            limits[length] = limit
        }
    }

    private mutating func fillSteps() {
        let short = (0..<256).filter { HuffmanCode.lengths[$0] <= Self.stepBits }
        for first in short {
            let rest = Self.stepBits - Int(HuffmanCode.lengths[first])
            let base = Int(HuffmanCode.codes[first]) << rest
            for index in base..<(base + 1 << rest) { steps[index] = Step(first) }
            for second in short where Int(HuffmanCode.lengths[second]) <= rest {
                let free = rest - Int(HuffmanCode.lengths[second])
                let start = base + Int(HuffmanCode.codes[second]) << free
                for index in start..<(start + 1 << free) { steps[index] = Step(first, second) }
            }
        }
    }

    /// The maximum number of bytes that so many coded ones can decode to, plus one that the last step may write past
    /// them.
    static func mostDecoded(_ coded: Int) -> Int { coded * 8 / 5 + 1 }

    /// The state of decoding a string.
    private struct Progress {
        /// The next bits, left-aligned. After the first ``count`` there may be more of them, or zeros.
        var bits: UInt64 = 0
        var count = 0
        /// In the coded bytes, of the first one that ``count`` does not include.
        var position = 0
        /// Bytes written.
        var length = 0

        /// The index of the step for the next bits.
        var index: Int { Int(truncatingIfNeeded: bits >> UInt64(64 - HuffmanDecoder.stepBits)) }

        mutating func skip(_ taken: Int) {
            bits <<= UInt64(truncatingIfNeeded: taken)
            count -= taken
        }
    }

    /// Decodes `coded` into `out`, which must have ``mostDecoded(_:)`` bytes, and returns the length.
    ///
    /// - Throws: `malformedHuffman` for the end-of-string symbol, and for padding that is not up to seven ones.
    func decode(_ coded: Span<UInt8>, into out: inout MutableSpan<UInt8>) throws(HPACKFailure) -> Int {
        var progress = Progress()
        try decodeWords(coded, &progress, into: &out)
        try decodeRest(coded, &progress, into: &out)
        return progress.length
    }

    /// Up to four steps for each refill, while there are eight input bytes for it, and space for the output of four
    /// steps.
    private func decodeWords(
        _ coded: Span<UInt8>,
        _ progress: inout Progress,
        into out: inout MutableSpan<UInt8>
    ) throws(HPACKFailure) {
        let steps = self.steps.span
        var bytes = out.mutableBytes
        // Local variables, which are kept in registers: this loop is most of the work on a head over HTTP/2.
        var (bits, count) = (progress.bits, progress.count)
        var (position, length) = (progress.position, progress.length)
        while position + 8 <= coded.count, length + 8 <= bytes.byteCount {
            let word = coded.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
            bits |= UInt64(bigEndian: word) &>> UInt64(truncatingIfNeeded: count)
            // As many whole bytes as fit: then there are 56 to 63 bits, and the longest code has 30.
            position += (63 - count) >> 3
            count |= 56
            var taken = 0
            while taken < 4 {
                // A number of `stepBits` bits is a valid index: the table has 2^stepBits steps.
                let step = steps[unchecked: Int(truncatingIfNeeded: bits >> UInt64(64 - Self.stepBits))]
                // A long code is read after the next refill, which it may need.
                if step.isLong { break }
                // Both symbols: whether there are two cannot be predicted. The check above leaves space for four times
                // two.
                bytes.storeBytes(of: step.both.littleEndian, toUncheckedByteOffset: length, as: UInt16.self)
                length &+= step.symbolCount
                bits &<<= UInt64(truncatingIfNeeded: step.bits)
                count &-= step.bits
                taken &+= 1
            }
            guard taken == 0 else { continue }
            let code = try longCode(bits)
            bytes.storeBytes(of: code.symbol, toByteOffset: length, as: UInt8.self)
            length += 1
            bits <<= UInt64(truncatingIfNeeded: code.length)
            count -= code.length
        }
        progress = Progress(bits: bits, count: count, position: position, length: length)
    }

    /// The last bytes, one by one; then the last bits, fewer than the longest code, symbol by symbol; then the padding.
    private func decodeRest(
        _ coded: Span<UInt8>,
        _ progress: inout Progress,
        into out: inout MutableSpan<UInt8>
    ) throws(HPACKFailure) {
        while true {
            while progress.count <= 56, progress.position < coded.count {
                progress.bits |= UInt64(coded[progress.position]) << UInt64(truncatingIfNeeded: 56 - progress.count)
                progress.position += 1
                progress.count += 8
            }
            if progress.count < HuffmanCode.longest { break }
            let step = steps[progress.index]
            let code = step.isLong ? try longCode(progress.bits) : (step.first, step.firstBits)
            out[progress.length] = code.0
            progress.length += 1
            progress.skip(code.1)
        }
        // Ones beyond the end: padding is the start of the end-of-string symbol, which is all ones.
        var bits = progress.bits | UInt64.max >> UInt64(progress.count)
        while progress.count >= 8 || ~bits != 0 {
            let step = steps[Int(truncatingIfNeeded: bits >> UInt64(64 - Self.stepBits))]
            let code = step.isLong ? try longCode(bits) : (step.first, step.firstBits)
            guard code.1 <= progress.count else { throw .malformedHuffman }
            out[progress.length] = code.0
            progress.length += 1
            bits = bits << UInt64(code.1) | UInt64.max >> UInt64(64 - code.1)
            progress.count -= code.1
        }
    }

    /// The code at the start of `bits`, which is longer than a step.
    private func longCode(_ bits: UInt64) throws(HPACKFailure) -> (symbol: UInt8, length: Int) {
        let word = bits >> 32
        for length in (Self.stepBits + 1)...HuffmanCode.longest where word < limits[length] {
            let offset = UInt32(truncatingIfNeeded: word >> UInt64(32 - length)) - firstCodes[length]
            let symbol = symbols[firstIndices[length] + Int(offset)]
            guard symbol != HuffmanCode.endOfString else { break }
            return (UInt8(truncatingIfNeeded: symbol), length)
        }
        throw .malformedHuffman
    }
}
