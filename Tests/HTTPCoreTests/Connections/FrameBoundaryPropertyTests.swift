import TestSupport
import Testing

@testable import HTTPCore

/// Properties that hold for every stream of frames, at whatever bytes it is split.
struct FrameBoundaryPropertyTests {
    private func stream(_ random: inout SplitMix64) -> SampleFrames {
        var frames = SampleFrames()
        for _ in 0..<random.within(1...4) { frames.appendMessage(&random) }
        if random.oneIn(2) { frames.appendRandom(firstByte: 0x88, longest: 125, &random) }
        return frames
    }

    @Test func boundariesAreFoundByteByByte() {
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

    @Test func boundariesAreFoundInPiecesOfAnyLength() {
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
}
