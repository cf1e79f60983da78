import TestSupport
import Testing

@testable import HTTPCore

/// What holds for every stream of frames, however it is cut.
struct FrameBoundaryPropertyTests {
    private func stream(_ random: inout SplitMix64) -> SampleFrames {
        var frames = SampleFrames()
        for _ in 0..<random.within(1...4) { frames.appendMessage(&random) }
        if random.oneIn(2) { frames.appendRandom(firstByte: 0x88, longest: 125, &random) }
        return frames
    }

    @Test func boundariesAreFoundAtEveryByte() {
        var random = SplitMix64(seed: 40)
        for _ in 0..<150 {
            let frames = stream(&random)
            let ends = Set(frames.ends)
            var boundary = FrameBoundary()
            for (index, byte) in frames.bytes.enumerated() {
                boundary.advance([byte])
                let isEnd = ends.contains(index + 1)
                let isClosed = frames.closeEnd.map { index + 1 >= $0 } ?? false
                guard boundary.isAtBoundary == isEnd, boundary.hasClosed == isClosed, !boundary.isBroken else {
                    Issue.record("byte \(index) of \(frames.bytes)")
                    return
                }
            }
        }
    }

    @Test func streamIsFollowedAlikeHoweverItIsCut() {
        var random = SplitMix64(seed: 41)
        for _ in 0..<500 {
            let frames = stream(&random)
            var boundary = FrameBoundary()
            var seen = 0
            for piece in random.pieces(frames.bytes, longest: random.pick([3, 40, 1000])) {
                let next = frames.ends.first { $0 >= seen } ?? 0
                let expected = seen == 0 || frames.ends.contains(seen) ? 0 : next - seen
                #expect(boundary.prefixToBoundary(piece) == (expected <= piece.count ? expected : nil))
                boundary.advance(piece)
                seen += piece.count
                #expect(boundary.isAtBoundary == frames.ends.contains(seen))
                #expect(boundary.hasClosed == frames.closeEnd.map { seen >= $0 } ?? false)
            }
        }
    }

    /// Any bytes are some stream; what a caller relies on is that looking ahead and going on agree.
    @Test func randomBytesAreFollowedAlike() {
        var random = SplitMix64(seed: 42)
        var breaks = 0
        for _ in 0..<3000 {
            var bytes = (0..<random.within(1...200)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            if random.oneIn(4), bytes.count > 1 { bytes[1] |= 0x7f }
            var atOnce = FrameBoundary()
            atOnce.advance(bytes)
            var dripped = FrameBoundary()
            for byte in bytes {
                let ends = dripped.prefixToBoundary([byte]) == 1
                let wasAtBoundary = dripped.isAtBoundary
                dripped.advance([byte])
                if !wasAtBoundary { #expect(ends == dripped.isAtBoundary) }
            }
            #expect(atOnce.isAtBoundary == dripped.isAtBoundary)
            #expect(atOnce.hasClosed == dripped.hasClosed)
            #expect(atOnce.isBroken == dripped.isBroken)
            if atOnce.isBroken { breaks += 1 }
        }
        #expect(breaks > 300)
    }
}
