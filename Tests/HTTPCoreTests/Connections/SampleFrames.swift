import TestSupport

/// Frames written down from RFC 6455 section 5.2, with where they end.
struct SampleFrames {
    enum LengthForm: CaseIterable {
        case seven, sixteen, sixtyFour
    }

    var bytes: [UInt8] = []
    /// Where each frame ends, in order.
    var ends: [Int] = []
    /// Where the first Close frame ends.
    var closeEnd: Int?

    /// - Parameter form: The shortest that the payload allows is taken if this one is too short for it.
    mutating func append(firstByte: UInt8, _ payload: [UInt8], form: LengthForm = .seven, mask: [UInt8] = []) {
        let maskBit: UInt8 = mask.isEmpty ? 0 : 0x80
        let count = payload.count
        bytes.append(firstByte)
        if form == .seven, count < 126 {
            bytes.append(maskBit | UInt8(count))
        } else if form != .sixtyFour, count < 65_536 {
            bytes += [maskBit | 126, UInt8(count >> 8), UInt8(count & 0xff)]
        } else {
            bytes.append(maskBit | 127)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: UInt64(count) >> UInt64(56 - $0 * 8)) }
        }
        bytes += mask
        bytes += payload
        ends.append(bytes.count)
        if firstByte & 0x0f == 8, closeEnd == nil { closeEnd = bytes.count }
    }

    /// A message in one to four fragments with control frames between them.
    mutating func appendMessage(_ random: inout SplitMix64) {
        let fragments = random.within(1...4)
        for number in 1...fragments {
            let opcode: UInt8 = number > 1 ? 0 : UInt8(random.within(1...2))
            appendRandom(firstByte: (number == fragments ? 0x80 : 0) | opcode, longest: 300, &random)
            if random.oneIn(3) { appendRandom(firstByte: random.pick([0x89, 0x8a]), longest: 125, &random) }
        }
    }

    mutating func appendRandom(firstByte: UInt8, longest: Int, _ random: inout SplitMix64) {
        let payload = (0..<random.below(longest + 1)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let mask = (0..<4).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        append(
            firstByte: firstByte,
            random.oneIn(5) ? [] : payload,
            form: random.pick(LengthForm.allCases),
            mask: random.oneIn(2) ? mask : []
        )
    }
}
