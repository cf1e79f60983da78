import TestSupport
import Testing

@testable import HTTPCore

/// Finding where frames end without parsing their content (RFC 6455 section 5.2).
struct FrameBoundaryTests {
    private func advanced(_ bytes: [UInt8]) -> FrameBoundary {
        var boundary = FrameBoundary()
        boundary.advance(bytes)
        return boundary
    }

    @Test func emptyStreamIsAtBoundary() {
        #expect(FrameBoundary().isAtBoundary)
        #expect(!FrameBoundary().hasClosed)
        #expect(advanced([]).isAtBoundary)
    }

    /// Headers of every length form, masked and not, with the length they declare.
    static let headers: [([UInt8], Int)] = [
        ([0x81, 0], 0), ([0x81, 0x80, 1, 2, 3, 4], 0), ([0x82, 125], 125), ([0x82, 0xfd, 1, 2, 3, 4], 125),
        ([0x82, 126, 0, 126], 126), ([0x02, 126, 0xff, 0xff], 65_535), ([0x82, 0xfe, 1, 0, 9, 9, 9, 9], 256),
        ([0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0], 65_536), ([0x82, 0xff, 0, 0, 0, 0, 0, 1, 0, 1, 7, 7, 7, 7], 65_537),
        ([0x82, 127, 0, 0, 0, 0, 0, 0, 0, 0], 0), ([0x82, 126, 0, 0], 0),
    ]

    @Test(arguments: headers)
    func frameEndsWithItsLastByte(header: [UInt8], length: Int) {
        let frame = header + [UInt8](repeating: 0x88, count: length)
        #expect(advanced(frame).isAtBoundary)
        #expect(!advanced(Array(frame.dropLast())).isAtBoundary)
        #expect(!advanced(frame + [0x81]).isAtBoundary)
        for start in 1..<header.count {
            let boundary = advanced(Array(frame[..<start]))
            #expect(!boundary.isAtBoundary)
            #expect(boundary.prefixToBoundary(Array(frame[start...]) + [0x81, 0]) == frame.count - start)
            #expect(boundary.prefixToBoundary(Array(frame[start..<(frame.count - 1)])) == nil)
        }
    }

    @Test func prefixBetweenFramesIsZero() {
        let next: [UInt8] = [0x81, 1, 0x61]
        #expect(FrameBoundary().prefixToBoundary(next) == 0)
        #expect(advanced(next).prefixToBoundary(next) == 0)
        #expect(advanced([0x81]).prefixToBoundary([UInt8]()) == nil)
    }

    @Test func lookingAheadDoesNotAdvance() {
        var boundary = advanced([0x88, 2])
        #expect(boundary.prefixToBoundary([0x03, 0xe8, 0x81]) == 2)
        #expect(!boundary.isAtBoundary)
        #expect(!boundary.hasClosed)
        boundary.advance([0x03, 0xe8])
        #expect(boundary.isAtBoundary)
        #expect(boundary.hasClosed)
    }

    @Test func closeFrameIsSeenOnceComplete() {
        let close: [UInt8] = [0x88, 0x82, 1, 2, 3, 4, 5, 6]
        for end in 0..<close.count { #expect(!advanced(Array(close[..<end])).hasClosed) }
        #expect(advanced(close).hasClosed)
        #expect(advanced(close + [0x81, 1]).hasClosed)
        #expect(advanced(close + [0x81, 0]).hasClosed)
        #expect(advanced([0x88, 0]).hasClosed)
        #expect(!advanced([0x89, 0, 0x8a, 0, 0x81, 1, 0x88]).hasClosed)
    }

    @Test func lengthWithTopBitBreaksStream() {
        for byte: UInt8 in [0x80, 0xff] {
            var boundary = advanced([0x82, 127])
            #expect(!boundary.isBroken)
            boundary.advance([byte])
            #expect(boundary.isBroken)
            #expect(!boundary.isAtBoundary)
            boundary.advance([UInt8](repeating: 0, count: 64))
            #expect(boundary.isBroken)
            #expect(!boundary.isAtBoundary)
            #expect(!boundary.hasClosed)
            #expect(boundary.prefixToBoundary([UInt8](repeating: 0, count: 64)) == nil)
            #expect(advanced([0x82]).prefixToBoundary([127, byte] + [UInt8](repeating: 0, count: 64)) == nil)
        }
    }

    @Test func longestLengthIsAccepted() {
        var boundary = advanced([0x82, 127, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
        boundary.advance([UInt8](repeating: 0xff, count: 4096))
        #expect(!boundary.isBroken)
        #expect(!boundary.isAtBoundary)
    }

    @Test func topBitsInOtherLengthBytesAreAccepted() {
        #expect(!advanced([0x82, 126, 0xff, 0xff]).isBroken)
        #expect(!advanced([0x82, 127, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).isBroken)
    }
}
